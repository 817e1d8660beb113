#include "completion/command_words.h"

#include <algorithm>
#include <map>

#include "commands.h"
#include "gps/experiments/spec/presets.h"
#include "learn/learn_options.h"
#include "policy_names.h"
#include "run/run_options.h"
#include "terminal/option_text.h"

namespace gps::cli {
namespace {

constexpr auto kFiles = Values::Files::files;
constexpr auto kFolders = Values::Files::folders;

Values one_name(std::vector<std::string> names) { return {std::move(names)}; }
Values some_names(std::vector<std::string> names) { return {std::move(names), /*is_list=*/true}; }
Values some_file(std::vector<std::string> names = {}) {
  return {std::move(names), /*is_list=*/false, kFiles};
}
Values some_folder() { return {{}, /*is_list=*/false, kFolders}; }

// Returns the policies that gpscl learn accepts.
std::vector<std::string> policies_of_learn() {
  std::vector<std::string> all = policy_names();
  std::erase_if(all, [](const std::string& policy) {
    try {
      LearnOptions options = new_learn_options({{"policy", policy}});
      settle(options);
      return false;
    } catch (const UsageError&) {
      return true;
    }
  });
  return all;
}

// The values by command, and option or place. Values that are missing here follow from the options
// of gpscl run or learn, or are numbers or free text.
const std::map<std::string, Values>& particular_values() {
  static const std::map<std::string, Values> all = [] {
    const std::vector<std::string> benchmarks = names(benchmark_catalog());
    const std::vector<std::string> learners = names(learner_catalog());
    std::map<std::string, Values> values = {
        {"run benchmark", some_file(benchmarks)},
        {"run --learner", some_names(learners)},
        {"run --policy", some_names(policy_names())},
        {"run --preset", one_name(names(preset_catalog()))},
        {"run --model", some_file(names(model_catalog()))},
        {"run --export", some_names({"model", "memory"})},
        {"run --checkpoint-every", one_name({"off"})},
        {"learn state", some_folder()},
        {"learn data", some_file()},
        {"learn --evaluate", some_file()},
        {"learn --gate", some_file()},
        {"learn --erase", some_file()},
        {"learn --learner", one_name(deployable_learners())},
        {"learn --model", some_file(names(model_catalog()))},
        {"learn --policy", one_name(policies_of_learn())},
        {"list family", one_name(listed_families())},
    };
    return values;
  }();
  return all;
}

// Returns the options of gpscl learn for that command, and of gpscl run otherwise.
std::vector<Option> rows_of(const std::string& command) {
  return command == "learn" ? all_learn_options() : all_run_options();
}

// Returns the tables of the commands that have one.
const CommandTable* table_of(const std::string& command) {
  static const std::map<std::string, const CommandTable*> all = {
      {"plan", &plan_table()},       {"sweep", &sweep_table()},   {"reproduce", &reproduce_table()},
      {"probe", &probe_table()},     {"runs", &runs_table()},     {"report", &report_table()},
      {"predict", &predict_table()}, {"export", &export_table()}, {"data", &data_table()}};
  const auto at = all.find(command);
  return at == all.end() ? nullptr : at->second;
}

void add_values(const Option& row, Values& values) {
  for (const auto* names : {&row.names, &row.offered})
    values.names.insert(values.names.end(), names->begin(), names->end());
  values.is_list = values.is_list || row.is_list;
  const std::string called = value_name(row);
  if (called.find("FILE") != std::string::npos) values.files = kFiles;
  if (called == "DIR") values.files = kFolders;
}

// Returns the values according to the options of gpscl run or learn, or none if there is no such
// option.
Values values_in_rows(const std::string& command, const std::string& flag) {
  Values values;
  for (const Option& option : rows_of(command)) {  // init can be a name or a file
    if ("--" + option.flag == flag) add_values(option, values);
  }
  return values;
}

Values values_of(const std::string& command, const std::string& what) {
  const auto& particular = particular_values();
  for (const std::string& whose :
       {command, command.substr(0, command.find(' ')), std::string("run")}) {
    const auto at = particular.find(std::string(whose).append(" ").append(what));
    if (at != particular.end()) return at->second;
  }
  return values_in_rows(command, what);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// Returns all lines except the first.
std::string below_title(const std::string& text) {
  const std::size_t end = text.find('\n');
  return end == std::string::npos ? "" : text.substr(end + 1);
}

constexpr const char* kHelpFlag = "--help";

// Returns an option with its spellings, and the help of --help and --help-all, which no table has.
OptionWords spelt(const CLI::Option& option) {
  OptionWords words;
  for (const std::string& name : option.get_snames()) words.spellings.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) words.spellings.push_back("--" + name);
  words.takes_value = option.get_items_expected_min() > 0;
  if (words.name() == kHelpFlag) words.help = "show the help of this command";
  if (words.name() == "--help-all") words.help = "show every option of this command";
  return words;
}

// Returns the explanations of the options of gpscl run or learn, by flag with dashes: who uses an
// option, what it does, and its default.
std::map<std::string, std::string> helps_of(const std::string& command) {
  std::map<std::string, std::string> helps;
  const auto add = [&](const Option& row, const std::string& help) {
    helps.emplace("--" + row.flag, with_dashes(help) + usual_text(row));
  };
  if (command == "learn") {
    for (const LearnOption& option : learn_rows()) add(option.row, help_with_users(option));
  } else {
    for (const SpecOption& option : spec_options()) add(option.row, help_with_users(option));
  }
  for (const Option& row : rows_of(command)) add(row, row.help);
  return helps;
}

// Returns the row of a place, by its name, or of an option, by its flag with dashes; or null.
const Option* row_of(const CommandTable* table, const std::string& name) {
  if (table == nullptr) return nullptr;
  for (const Option& row : table->places) {
    if (row.key == name) return &row;
  }
  for (const Option& row : table->options) {
    if ("--" + row.flag == name) return &row;
  }
  return nullptr;
}

std::vector<HelpPiece> pieces_of(const CommandTable& table) {
  std::vector<HelpPiece> pieces = {{"", below_title(table.above)}};
  for (const Option& row : table.options) pieces.push_back({option_head(row), option_help(row)});
  pieces.push_back({"", table.below});
  return pieces;
}

// `table` is that of the command, or of `probe` for its kinds, whose other options are those of
// run.
CommandWords words_of(const CLI::App& command, const CommandTable* table, const std::string& path,
                      const std::string& summary) {
  CommandWords words{path, summary, {}};
  const std::map<std::string, std::string> helps = helps_of(path);
  const auto values = [&](const Option* row, const std::string& name) {
    if (row == nullptr) return values_of(path, name);
    Values found;
    add_values(*row, found);
    return found;
  };
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) {
      const std::string name = option->get_name(/*positional=*/true);
      words.places.push_back(values(row_of(table, name), name));
      words.repeats_last = option->get_expected_max() > 1;
      continue;
    }
    if (option->get_group().empty()) continue;  // the command refuses it
    OptionWords own = spelt(*option);
    const Option* row = row_of(table, own.name());
    if (own.takes_value) own.values = values(row, own.name());
    if (row != nullptr) {
      own.help = option_help(*row);
    } else if (helps.contains(own.name())) {
      own.help = helps.at(own.name());
    }
    words.options.push_back(std::move(own));
  }
  return words;
}

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

std::size_t indent_of(const std::string& line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

}  // namespace

std::vector<HelpPiece> help_pieces(const std::string& help) {
  constexpr std::size_t kHeadIndent = 2;
  constexpr std::size_t kTextIndent = 6;
  std::vector<HelpPiece> pieces;
  bool follows = false;  // whether a line may continue the last explanation
  for (const std::string& line : split(below_title(help), '\n')) {
    const std::size_t indent = indent_of(line);
    const std::string body = line.substr(indent);
    if (indent == kHeadIndent && body.starts_with('-')) {
      const std::size_t gap = body.find("  ");
      const std::string rest = gap == std::string::npos ? "" : body.substr(gap);
      pieces.push_back({body.substr(0, gap), rest.substr(indent_of(rest))});
      follows = true;
    } else if (follows && indent >= kTextIndent && !body.empty()) {
      pieces.back().text += (pieces.back().text.empty() ? "" : " ") + body;
    } else if (follows || pieces.empty()) {
      pieces.push_back({"", line});
      follows = false;
    } else {
      pieces.back().text += "\n" + line;
    }
  }
  return pieces;
}

std::vector<CommandWords> command_words(const CLI::App& app) {
  // Reads lines such as "  run BENCHMARK   learn a stream …" of the main help.
  std::map<std::string, std::string> summaries;
  std::vector<std::string> order;
  for (const std::string& line : split(app.get_description(), '\n')) {
    if (indent_of(line) != 2) continue;
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    if (find_command(app, name) == nullptr) continue;
    order.push_back(name);
    const std::string rest = line.substr(line.find("  ", 2));
    summaries[name] = rest.substr(indent_of(rest));
  }
  std::vector<CommandWords> all;
  for (const std::string& name : order) {
    const CLI::App& command = *find_command(app, name);
    const CommandTable* table = table_of(name);
    const std::vector<HelpPiece> pieces =
        table != nullptr ? pieces_of(*table) : help_pieces(command.get_description());
    all.push_back(words_of(command, table, name, summaries.at(name)));
    all.back().pieces = pieces;
    std::vector<std::string> kinds;
    for (const CLI::App* kind : command.get_subcommands({})) {
      kinds.push_back(kind->get_name());
      all.push_back(words_of(*kind, table, name + " " + kind->get_name(),
                             first_line(kind->get_description())));
    }
    if (!kinds.empty()) all[all.size() - 1 - kinds.size()].places = {one_name(kinds)};
  }
  return all;
}

}  // namespace gps::cli
