// Completion for zsh: one call of _arguments for each command.
#include <fmt/format.h>

#include "completion/command_words.h"
#include "gps/core/text/text.h"

namespace gps::cli {
namespace {

// Puts a backslash before each of the special characters and escapes the text for single quotes.
std::string zsh_escaped(const std::string& text, const std::string& special) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
      continue;
    }
    if (special.find(c) != std::string::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_names(const std::vector<std::string>& names) {
  std::vector<std::string> all;
  for (const std::string& name : names) all.push_back(zsh_escaped(name, ":()\\ "));
  return join(all, " ");
}

// Returns ":what:action", in the format of _arguments.
std::string zsh_values(const std::string& what, const Values& values) {
  const std::string files = values.files == Values::Files::none      ? ""
                            : values.files == Values::Files::folders ? "_files -/"
                                                                     : "_files";
  const std::string names = zsh_names(values.names);
  if (values.names.empty()) return fmt::format(":{}:{}", what, files);
  if (!files.empty())
    return fmt::format(":{}:{{compadd -- {}; {}}}", what, join(values.names, " "), files);
  if (values.is_list)
    return fmt::format(":{}:_sequence compadd - {}", what, join(values.names, " "));
  return fmt::format(":{}:({})", what, names);
}

std::string zsh_option(const OptionWords& option) {
  const std::string help = "[" + zsh_escaped(option.help, "[]:\\") + "]";
  const std::string word = option.name().substr(2);
  const std::string values = option.takes_value ? zsh_values(word, option.values) : "";
  std::string lines;
  for (const std::string& spelling : option.spellings) {
    const bool is_long = spelling.starts_with("--");
    const std::string sign = !option.takes_value ? "" : is_long ? "=" : "+";
    lines += fmt::format("        '{}{}{}{}' \\\n", spelling, sign, help, values);
  }
  return lines;
}

}  // namespace

std::string zsh_completion(const std::vector<CommandWords>& commands) {
  std::string text =
      "#compdef gpscl\n# zsh completion for gpscl; made by: gpscl completion zsh\n\n_gpscl() {\n"
      "  local curcontext=\"$curcontext\" state line name\n  typeset -A opt_args\n"
      "  local -a commands\n  commands=(\n";
  for (const CommandWords& command : commands) {
    if (command.path.find(' ') == std::string::npos)
      text += fmt::format("    '{}:{}'\n", command.path, zsh_escaped(command.summary, ":\\"));
  }
  text +=
      "  )\n  _arguments -C '(- *)-h[help]' '(- *)--help[help]' '(- *)--version[show the version]' "
      "\\\n"
      "    '1:command:->command' '*::argument:->argument' && return\n"
      "  if [[ $state == command ]]; then\n    _describe command commands\n    return\n  fi\n"
      "  name=$words[1]\n"
      "  if [[ $name == probe && CURRENT -gt 2 ]]; then\n"
      "    name=\"probe $words[2]\"\n    shift words\n    (( CURRENT-- ))\n  fi\n"
      "  case $name in\n";
  for (const CommandWords& command : commands) {
    text += fmt::format("    '{}')\n      _arguments \\\n", command.path);
    for (const OptionWords& option : command.options) text += zsh_option(option);
    for (std::size_t k = 0; k < command.places.size(); ++k) {
      const bool repeats = command.repeats_last && k + 1 == command.places.size();
      text += fmt::format("        '{}{}' \\\n", repeats ? "*" : std::to_string(k + 1),
                          zsh_values("argument", command.places[k]));
    }
    text += "        && return\n      ;;\n";
  }
  return text + "  esac\n}\n\n_gpscl \"$@\"\n";
}

}  // namespace gps::cli
