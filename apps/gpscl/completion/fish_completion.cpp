// Completion for fish: one line for each option of a command.
#include <fmt/format.h>

#include "completion/command_words.h"
#include "gps/core/text/text.h"

namespace gps::cli {
namespace {

std::string fish_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

std::string fish_values(const Values& values) {
  const std::string names = join(values.names, " ");
  const std::string offered =
      names.empty()    ? ""
      : values.is_list ? fmt::format(" -a {}", fish_quoted("(__fish_append , " + names + ")"))
                       : fmt::format(" -a {}", fish_quoted(names));
  if (values.files == Values::Files::files) return " -r -F" + offered;
  if (values.files == Values::Files::folders)
    return " -x -a '(__fish_complete_directories)'" + offered;
  return " -x" + offered;
}

}  // namespace

std::string fish_completion(const std::vector<CommandWords>& commands) {
  std::string text =
      "# fish completion for gpscl; made by: gpscl completion fish\n"
      "complete -c gpscl -f\n"
      "complete -c gpscl -n __fish_use_subcommand -s h -l help -d 'show the help'\n"
      "complete -c gpscl -n __fish_use_subcommand -l version -d 'show the version'\n";
  for (const CommandWords& command : commands) {
    const std::size_t blank = command.path.find(' ');
    const std::string first = command.path.substr(0, blank);
    if (blank == std::string::npos)
      text += fmt::format("complete -c gpscl -n __fish_use_subcommand -a {} -d {}\n", first,
                          fish_quoted(command.summary));
    std::string when = "__fish_seen_subcommand_from " + first;
    if (blank != std::string::npos)
      when += "; and __fish_seen_subcommand_from " + command.path.substr(blank + 1);
    const std::string start = fmt::format("complete -c gpscl -n {}", fish_quoted(when));
    for (const OptionWords& option : command.options) {
      text += start;
      for (const std::string& spelling : option.spellings)
        text +=
            spelling.starts_with("--") ? " -l " + spelling.substr(2) : " -s " + spelling.substr(1);
      if (option.takes_value) text += fish_values(option.values);
      text += fmt::format(" -d {}\n", fish_quoted(option.help));
    }
    for (const Values& place : command.places) {
      const bool has_files = place.files != Values::Files::none;
      if (has_files) text += start + " -F\n";
      if (!place.names.empty())
        text += start + fmt::format(" -a {}\n", fish_quoted(join(place.names, " ")));
    }
  }
  return text;
}

}  // namespace gps::cli
