#include "parse_refusal.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "gps/core/errors.h"
#include "gps/core/text/nearest.h"

namespace gps::cli {
namespace {

// Returns the innermost command that was given, or the program itself.
const CLI::App& innermost(const CLI::App& app) {
  const CLI::App* last = &app;
  while (!last->get_subcommands().empty()) last = last->get_subcommands().front();
  return *last;
}

// Returns "; see gpscl run --help" or "; see gpscl --help".
std::string see_help(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return "; see gpscl " + (commands.empty() ? "" : commands.front()->get_name() + " ") + "--help";
}

std::vector<std::string> known_commands(const CLI::App& app) {
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() != "completion")
      known.push_back(command->get_name());  // not in the help
  }
  return known;
}

std::string unknown_option(const std::string& word, const CLI::App& app) {
  const std::string option = word.substr(0, word.find('='));
  std::vector<std::string> known;
  for (const CLI::Option* each : innermost(app).get_options()) {
    for (const std::string& name : each->get_lnames()) known.push_back(name);
  }
  const std::string meant =
      option.starts_with("--") ? probably_meant(option.substr(2), known) : std::string();
  return fmt::format("unknown option {}{}", option,
                     meant.empty() ? see_help(app) : fmt::format("; did you mean --{}?", meant));
}

// Words that no option and no place takes.
std::string unexpected(const CLI::App& app) {
  const std::vector<std::string> extras = innermost(app).remaining();
  const auto option = std::find_if(extras.begin(), extras.end(), [](const std::string& word) {
    return word.starts_with('-') && word != "-";
  });
  const bool is_command = app.get_subcommands().empty();
  if (is_command && !extras.empty() && option != extras.begin())
    return unknown_name_text("command", extras.front(), known_commands(app));
  if (option != extras.end()) return unknown_option(*option, app);
  if (extras.empty()) return "too many arguments" + see_help(app);
  return fmt::format("unexpected argument '{}'{}", extras.front(), see_help(app));
}

}  // namespace

// CLI11 does not say in another way than by its texts which option it means.
std::string parse_refusal(const CLI::ParseError& error, const CLI::App& app) {
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return unexpected(app);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const std::string name = text.substr(0, text.find_first_of(": "));
    if (text.find("At Most") != std::string::npos) return name + " is given more than once";
    return name + " needs a value" + see_help(app);
  }
  return "the command line cannot be understood" + see_help(app);
}

void check_flags(const std::vector<std::string>& words, const CLI::App& app) {
  const CLI::App* command = &app;
  for (const std::string& word : words) {
    if (word == "--") return;
    if (!word.starts_with("--")) {
      for (const CLI::App* each : command->get_subcommands({})) {
        if (each->get_name() != word) continue;
        command = each;
        break;
      }
      continue;
    }
    const std::size_t at = word.find('=');
    if (at == std::string::npos) continue;
    const std::string name = word.substr(0, at);
    const CLI::Option* option = command->get_option_no_throw(name);
    if (option != nullptr && option->get_items_expected_max() == 0)
      throw UsageError(fmt::format("{} takes no value, got '{}'", name, word.substr(at + 1)));
  }
}

}  // namespace gps::cli
