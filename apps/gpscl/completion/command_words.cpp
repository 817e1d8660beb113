#include "completion/command_words.h"

#include <algorithm>
#include <map>

#include "gps/data/sets/published_sets.h"
#include "gps/experiments/presets.h"
#include "gps/experiments/store/store.h"
#include "gps/probes/ring_size_curve.h"
#include "gps/reproduce/item.h"
#include "learn/learn_options.h"
#include "option_text.h"
#include "run/run_options.h"

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

// Returns the policies and their variants, if an option that takes a name distinguishes them:
// gps:offline is included, mixed:0.5 is not.
std::vector<std::string> policy_names() {
  std::vector<std::string> all;
  for (const PolicyEntry& entry : policy_catalog()) {
    all.push_back(entry.name);
    for (const std::string& key : entry.variants) {
      const Option* option = find_option(entry.options, key);
      if (option == nullptr || option->kind != OptionKind::name) continue;
      for (const std::string& value : option->names) {
        std::string shown = value;
        for (const auto& [short_name, name] : option->short_names) {
          if (name == value) shown = short_name;
        }
        if (OptionValue(value) != option->usual) all.push_back(entry.name + ":" + shown);
      }
    }
  }
  return all;
}

// Those that gpscl learn takes.
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

// By command and option or place. What is not here follows from the options of gpscl run or learn,
// or is a number or a text of the user's.
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
        {"sweep file", some_file()},
        {"reproduce --benchmarks", some_names(benchmarks)},
        {"reproduce --scale", one_name({"smoke", "reduced", "full"})},
        {"reproduce --format", one_name({"text", "md", "csv", "latex", "json"})},
        {"reproduce --output", some_file()},
        {"reproduce --notes", some_folder()},
        {"probe --format", one_name({"text", "csv", "json", "md"})},
        {"probe --measure",
         one_name({name_of(Measure::test_loss), name_of(Measure::test_accuracy),
                   name_of(Measure::loss), name_of(Measure::accuracy),
                   name_of(Measure::global_loss), name_of(Measure::global_accuracy)})},
        {"probe --future", some_names(names(future_catalog()))},
        {"runs action", one_name({"list", "show", "compare", "export", "rm"})},
        {"runs what", one_name(policy_names())},
        {"runs --benchmark", one_name(benchmarks)},
        {"runs --learner", one_name(learners)},
        {"runs --policy", one_name(policy_names())},
        {"runs --status", one_name({name_of(RunStatus::running), name_of(RunStatus::done),
                                    name_of(RunStatus::failed), name_of(RunStatus::interrupted)})},
        {"runs --format", one_name({"text", "csv", "json", "md", "latex"})},
        {"runs --output", some_file()},
        {"report store", some_file()},
        {"report --format", one_name({"html", "svg", "csv", "md", "latex"})},
        {"report --output", some_file()},
        {"report --benchmark", one_name(benchmarks)},
        {"report --learner", one_name(learners)},
        {"report --policy", one_name(policy_names())},
        {"learn state", some_folder()},
        {"learn data", some_file()},
        {"learn --evaluate", some_file()},
        {"learn --learner", one_name(deployable_learners())},
        {"learn --model", some_file(names(model_catalog()))},
        {"learn --policy", one_name(policies_of_learn())},
        {"predict state", some_folder()},
        {"predict images", some_file()},
        {"predict --format", one_name({"text", "csv", "json"})},
        {"export state", some_folder()},
        {"export --format", one_name({"torchscript", "safetensors"})},
        {"export --out", some_file()},
        {"data action", one_name({"list", "get", "verify", "where", "rm"})},
        {"list family", one_name({"benchmarks", "models", "learners", "policies", "presets",
                                  "futures", "metrics"})},
    };
    Values items;
    for (const Item& item : item_catalog()) items.names.push_back(item.name);
    items.names.emplace_back("all");
    values["reproduce items"] = items;
    Values sets;
    for (const PublishedSet& set : published_sets()) sets.names.push_back(set.name);
    values["data names"] = sets;
    return values;
  }();
  return all;
}

// As the tables of gpscl learn, for that command, and of gpscl run have it.
std::vector<Option> rows_of(const std::string& command) {
  return command == "learn" ? all_learn_options() : all_run_options();
}

// Nothing if there is no such option.
Values values_in_table(const std::string& command, const std::string& flag) {
  Values values;
  for (const Option& option : rows_of(command)) {  // init is a name or a file
    if ("--" + option.flag != flag) continue;
    values.names.insert(values.names.end(), option.names.begin(), option.names.end());
    const std::string called = value_name(option);
    if (called.find("FILE") != std::string::npos) values.files = kFiles;
    if (called == "DIR") values.files = kFolders;
  }
  return values;
}

Values values_of(const std::string& command, const std::string& what) {
  const auto& particular = particular_values();
  for (const std::string& whose :
       {command, command.substr(0, command.find(' ')), std::string("run")}) {
    const auto at = particular.find(whose + " " + what);
    if (at != particular.end()) return at->second;
  }
  return values_in_table(command, what);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// Returns the explanation of an option in the help, on one line.
std::string help_of(const std::string& flag, const std::vector<HelpPiece>& pieces) {
  for (const HelpPiece& piece : pieces) {
    const std::size_t at = piece.head.find(flag);
    if (at == std::string::npos || piece.text.starts_with("--")) continue;
    const char next = at + flag.size() < piece.head.size() ? piece.head[at + flag.size()] : ' ';
    if (next == ' ' || next == ',') return piece.text;
  }
  return "";
}

CommandWords words_of(const CLI::App& command, const std::string& path, const std::string& summary,
                      const std::vector<HelpPiece>& pieces) {
  CommandWords words{path, summary, command.get_description(), {}};
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) {
      words.places.push_back(values_of(path, option->get_name(/*positional=*/true)));
      words.repeats_last = option->get_expected_max() > 1;
      continue;
    }
    OptionWords own;
    for (const std::string& name : option->get_snames()) own.spellings.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) own.spellings.push_back("--" + name);
    own.takes_value = option->get_items_expected_min() > 0;
    if (own.takes_value) own.values = values_of(path, own.name());
    own.help =
        own.name() == "--help" ? "show the help of this command" : help_of(own.name(), pieces);
    if (own.help.empty()) {
      for (const Option& row : rows_of(path)) {
        if ("--" + row.flag == own.name()) own.help = with_dashes(row.help);
      }
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
  for (const std::string& line : split(help, '\n')) {
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
    const std::vector<HelpPiece> pieces = help_pieces(command.get_description());
    all.push_back(words_of(command, name, summaries.at(name), pieces));
    std::vector<std::string> kinds;
    for (const CLI::App* kind : command.get_subcommands({})) {
      kinds.push_back(kind->get_name());
      all.push_back(words_of(*kind, name + " " + kind->get_name(),
                             first_line(kind->get_description()), pieces));
    }
    if (!kinds.empty()) all[all.size() - 1 - kinds.size()].places = {one_name(kinds)};
  }
  return all;
}

}  // namespace gps::cli
