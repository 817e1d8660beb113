#include "parse_refusal.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
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

std::string not_understood(const CLI::App& app) {
  return "the command line cannot be understood" + see_help(app);
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
    if (each->get_group().empty()) continue;  // the command refuses it
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

// An option as it stands on the command line: --memory=5 is {"--memory", its option, "5"}.
struct GivenOption {
  std::string name;
  const CLI::Option* option = nullptr;
  std::optional<std::string> value = std::nullopt;  // what follows the equals sign
  std::size_t at = 0;                               // which word it is
};

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

bool needs_value(const CLI::Option& option) { return option.get_items_expected_min() > 0; }

// Returns the known options among the words, of the command before them. A word that is the value
// of the option before it is passed over.
std::vector<GivenOption> given_options(const std::vector<std::string>& words, const CLI::App& app) {
  std::vector<GivenOption> found;
  const CLI::App* command = &app;
  bool is_value = false;
  for (std::size_t at = 0; at < words.size() && words[at] != "--"; ++at) {
    const std::string& word = words[at];
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const std::string name = word.substr(0, equals);
    const CLI::Option* option =
        word.starts_with('-') ? command->get_option_no_throw(name) : nullptr;
    if (option != nullptr) {
      found.push_back({name, option, std::nullopt, at});
      if (equals != std::string::npos) found.back().value = word.substr(equals + 1);
      is_value = takes_value(*option) && equals == std::string::npos;
      continue;
    }
    for (const CLI::App* below : command->get_subcommands({})) {
      if (is_value || below->get_name() != word) continue;
      command = below;
      break;
    }
    is_value = false;
  }
  return found;
}

// Whether a value follows the option: a word that is none of the known options.
bool has_value(const GivenOption& given, const std::vector<GivenOption>& all,
               const std::vector<std::string>& words) {
  if (given.value.has_value()) return !given.value->empty();
  const std::size_t next = given.at + 1;
  if (next == words.size() || words[next] == "--") return false;
  return std::none_of(all.begin(), all.end(),
                      [&](const GivenOption& each) { return each.at == next; });
}

// Returns the option that stands on the command line for the second time, or "".
std::string repeated_option(const std::vector<std::string>& words, const CLI::App& app) {
  std::set<const CLI::Option*> seen;
  for (const GivenOption& each : given_options(words, app)) {
    if (!seen.insert(each.option).second) return each.name;
  }
  return "";
}

}  // namespace

std::string parse_refusal(const CLI::ParseError& error, const std::vector<std::string>& words,
                          const CLI::App& app) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return unexpected(app);
  const std::string repeated = repeated_option(words, app);
  return repeated.empty() ? not_understood(app) : repeated + " is given more than once";
}

void check_values(const std::vector<std::string>& words, const CLI::App& app) {
  const std::vector<GivenOption> all = given_options(words, app);
  for (const GivenOption& each : all) {
    if (each.value.has_value() && !takes_value(*each.option))
      throw UsageError(fmt::format("{} takes no value, got '{}'", each.name, *each.value));
    if (needs_value(*each.option) && !has_value(each, all, words))
      throw UsageError(
          fmt::format("{} needs a value; see gpscl {} --help", each.name, words.front()));
  }
}

}  // namespace gps::cli
