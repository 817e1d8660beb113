#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "commands.h"
#include "gps/experiments/scheduling/run_many.h"
#include "gps/report/comparison.h"
#include "gps/report/labels.h"
#include "gps/report/picture.h"
#include "gps/report/tables/metrics_table.h"
#include "now.h"
#include "option_text.h"
#include "output.h"
#include "run/repeat_command.h"

namespace gps::cli {
namespace {

constexpr const char* kRunsHelp = R"(gpscl runs: what was run, out of the store

Usage: gpscl runs list [FILTERS] [--limit N]
       gpscl runs show ID [--json]
       gpscl runs compare [WHAT...] [FILTERS] [--format F] [--output FILE]
       gpscl runs export [FILTERS] [--format F] [--output FILE]
       gpscl runs rm [ID...] [FILTERS] [--yes]

  list      one line a run, latest first (the 50 latest; --limit 0: all)
  show      a run: how to repeat it, its metrics, accuracies, decisions and times
  compare   means over seeds, and differences to the first over common seeds, with 95 % intervals.
            WHAT is a policy (gps, gps:rotation), a learner (der), both ("der gps:rotation"), or the
            id of a run, which stands for all seeds of its spec; without any: all of them
  export    csv and json: one entry a run; md and latex: the table of compare
  rm        forget runs, and remove their JSON files and checkpoints from the folder of the store;
            what a process is at is left alone

  --store FILE    the store (results/runs.sqlite)
  --benchmark B   --learner L   --policy P   --status running|done|failed|interrupted
                  filters: only these (tables are of runs that are done)
  --format F      compare: text | csv | json | md | latex (text)
                  export: csv | json | md | latex (csv)
  --output FILE   to a file instead of standard output (also -o)
  --yes           do not ask (also -y)

Example: is GPS better than a reservoir, with DER, in what is there so far?
  gpscl runs compare "der reservoir" "der gps:permutation" --benchmark p-mnist
)";

struct RunsOptions {
  bool wants_help = false;
  bool wants_json = false;
  bool is_sure = false;
  std::string store = "results/runs.sqlite";
  std::vector<std::string> what;
  std::string benchmark;
  std::string learner;
  std::string policy;
  std::string status;
  std::string format;
  std::string output;
  std::size_t limit = 50;
};

std::int64_t id_from(const std::string& text) {
  const bool is_number = !text.empty() && text.size() < 19 &&
                         text.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number) {
    throw UsageError(fmt::format("'{}' is not the id of a run; gpscl runs list shows them", text));
  }
  return std::stoll(text);
}

RunFilter filter_from(const RunsOptions& options) {
  RunFilter filter{{}, options.benchmark, options.learner, options.policy, {}};
  std::vector<std::string> known;
  for (const RunStatus status :
       {RunStatus::running, RunStatus::done, RunStatus::failed, RunStatus::interrupted}) {
    if (name_of(status) == options.status) filter.status = status;
    known.push_back(name_of(status));
  }
  if (!options.status.empty() && !filter.status) {
    throw UsageError(fmt::format("unknown --status '{}'; known: {}", options.status, join(known)));
  }
  return filter;
}

Store open(const RunsOptions& options, bool read_only = true) {
  return Store(options.store, {.read_only = read_only});
}

// Those that fit the filter by what they are now: what a killed process was at is interrupted.
std::vector<StoredRun> runs_now(Store& store, const RunFilter& filter, bool with_results = false) {
  RunFilter of_any_status = filter;
  of_any_status.status.reset();
  std::vector<StoredRun> runs = store.find(of_any_status, with_results);
  const ProcessId self = this_process();
  const double now = seconds_now();
  for (StoredRun& run : runs) run.status = Store::status_now(run, self, now);
  if (filter.status)
    std::erase_if(runs, [&](const StoredRun& run) { return run.status != *filter.status; });
  return runs;
}

// A key of the run's spec as text; "-" if it has none.
std::string spec_value(const StoredRun& run, const std::string& key) {
  const auto spec = nlohmann::json::parse(run.spec);
  return spec.contains(key) ? spec.at(key).dump() : "-";
}

void list(const RunsOptions& options) {
  Store store = open(options);
  const std::vector<StoredRun> runs = runs_now(store, filter_from(options));
  Table table = {{"id", "finished", "benchmark", "learner", "policy", "tasks", "memory", "seed",
                  "status", "accuracy %", "time", "version"}};
  const std::size_t shown = options.limit == 0 ? runs.size() : std::min(options.limit, runs.size());
  for (std::size_t k = 0; k < shown; ++k) {
    const StoredRun& run = runs[k];
    const auto when = static_cast<std::time_t>(run.finished > 0 ? run.finished : run.started);
    table.push_back({fmt::format("{}", run.id),
                     fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(when)), run.benchmark,
                     run.learner, run.label, spec_value(run, "tasks"), spec_value(run, "memory"),
                     fmt::format("{}", run.seed), name_of(run.status),
                     run.accuracy ? fmt::format("{:.2f}", 100 * *run.accuracy) : "-",
                     run.seconds > 0 ? fmt::format("{:.1f} s", run.seconds) : "-", run.version});
  }
  fmt::print("{}", text_table(table));
  if (shown < runs.size()) fmt::print("{} more; --limit 0 shows all\n", runs.size() - shown);
}

StoredRun the_run(Store& store, const std::vector<std::string>& what) {
  if (what.size() != 1) throw UsageError("which run? gpscl runs list shows their ids");
  RunFilter filter;
  filter.ids = {id_from(what.front())};
  std::vector<StoredRun> runs = runs_now(store, filter, /*with_results=*/true);
  if (runs.empty()) {
    throw UsageError(fmt::format("there is no run {} in {}; gpscl runs list shows them",
                                 what.front(), store.path().string()));
  }
  return runs.front();
}

nlohmann::json as_json(const StoredRun& run) {
  nlohmann::json json = {
      {"id", run.id},           {"hash", run.hash},       {"spec", nlohmann::json::parse(run.spec)},
      {"seed", run.seed},       {"version", run.version}, {"status", name_of(run.status)},
      {"seconds", run.seconds}, {"started", run.started}, {"finished", run.finished},
      {"error", nullptr},       {"result", nullptr}};
  if (!run.error.empty()) json["error"] = run.error;
  if (!run.result.empty()) json["result"] = nlohmann::json::parse(run.result);
  return json;
}

void print_result(const RunResult& result) {
  fmt::print("\n{}", text_table(metrics_table(result)));
  fmt::print("\naccuracy % on each task (columns) after each task (rows)\n");
  for (const std::vector<double>& row : result.accuracy) {
    for (const double value : row) fmt::print(" {:6.2f}", 100 * value);
    fmt::print("\n");
  }
  const std::string points = switching_points_picture(result);
  if (!points.empty())
    fmt::print("\nswitching points: # class-balanced ring part, . random part\n{}", points);
  fmt::print("\ntraining {:.1f} s, simulation {:.1f} s, evaluation {:.1f} s, {} steps\n",
             result.seconds.training, result.seconds.simulation, result.seconds.evaluation,
             result.steps);
}

void show(const RunsOptions& options) {
  Store store = open(options);
  const StoredRun run = the_run(store, options.what);
  if (options.wants_json) {
    fmt::print("{}\n", as_json(run).dump(1));
    return;
  }
  fmt::print("run {} ({}), {} {} seed {}: {}\n", run.id, run.hash, run.benchmark,
             run.policy == "none" ? run.learner : run.learner + " " + run.label, run.seed,
             name_of(run.status));
  fmt::print("version {}, process {} on {}, {:.1f} s\n", run.version, run.owner.pid, run.owner.host,
             run.seconds);
  if (!run.error.empty()) fmt::print("error: {}\n", with_dashes(run.error));
  try {
    const Spec spec = spec_from_json(nlohmann::json::parse(run.spec));
    fmt::print("\nto repeat it: {}\n", command_for(arguments_for(spec), run.seed));
  } catch (const DataError& error) {  // a run of another version
    fmt::print("\nit cannot be repeated: {}; --json shows what is recorded\n", error.what());
    return;
  }
  if (!run.result.empty()) print_result(result_from(run));
}

// Does what the user said mean this run?
bool is_meant(const std::string& what, const StoredRun& run, const std::set<std::string>& specs) {
  return specs.contains(run.spec) || what == run.policy || what == run.label ||
         what == run.learner || what == run.learner + " " + run.label ||
         what == run.learner + " " + run.policy;
}

// The finished runs that the arguments and filters mean, by arguments, then by specs and seeds.
std::vector<RunResult> chosen_results(Store& store, const RunsOptions& options) {
  RunFilter filter = filter_from(options);
  filter.status = RunStatus::done;
  const std::vector<StoredRun> runs = store.find(filter, /*with_results=*/true);
  std::vector<const StoredRun*> chosen;
  const auto add = [&](const StoredRun& run) {
    if (std::find(chosen.begin(), chosen.end(), &run) == chosen.end()) chosen.push_back(&run);
  };
  for (const std::string& what : options.what) {
    std::set<std::string> specs;
    const bool is_id = what.find_first_not_of("0123456789") == std::string::npos;
    for (const StoredRun& run : runs) {
      if (is_id && run.id == id_from(what)) specs.insert(run.spec);
    }
    const std::size_t before = chosen.size();
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {  // oldest first
      if (is_meant(what, *run, specs)) add(*run);
    }
    const bool is_known = std::any_of(
        runs.begin(), runs.end(), [&](const StoredRun& run) { return is_meant(what, run, specs); });
    if (chosen.size() == before && !is_known) {
      throw UsageError(
          fmt::format("no finished run of '{}' in {}; a policy, a learner, \"learner policy\" or "
                      "an id would be "
                      "right, as gpscl runs list --status done shows them",
                      what, store.path().string()));
    }
  }
  if (options.what.empty()) {
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) add(*run);
  }
  if (chosen.empty())
    throw UsageError(fmt::format("no finished run in {} fits", store.path().string()));
  std::vector<RunResult> results;
  for (const StoredRun* run : chosen) {
    try {
      results.push_back(result_from(*run));
    } catch (const DataError& error) {
      if (chosen.size() == 1) throw;
      fmt::print(stderr, "gpscl: {}; left out\n", error.what());
    }
  }
  if (results.empty())
    throw DataError(fmt::format("{}: no result that fits can be read", store.path().string()));
  return results;
}

std::string rendered(const Table& table, const std::string& format) {
  if (format == "csv") return csv_table(table);
  if (format == "md") return markdown_table(table);
  if (format == "latex") return latex_table(table);
  return text_table(table);
}

// One table for each setting, under its title.
std::string comparison(const std::vector<RunResult>& results, const std::string& format) {
  std::string text;
  nlohmann::json all = nlohmann::json::array();
  for (const ComparableResults& group : by_setting(results)) {
    std::vector<Spec> specs;
    for (const RunResult& result : group.results) specs.push_back(result.spec);
    const std::vector<std::string> labels = distinct_labels(specs);
    all.push_back({{"setting", group.title}, {"runs", compare_as_json(group.results, labels)}});
    const Table table = compare(group.results, labels, /*with_seeds=*/true);
    if (!text.empty()) text += "\n";
    text += fmt::format("{}{}\n{}{}", format == "latex" ? "% " : "", group.title,
                        format == "csv" || format == "latex" ? "" : "\n", rendered(table, format));
  }
  return format == "json" ? all.dump(1) + "\n" : text;
}

// The result as it was kept; null where there is none, and where it is no result, with a line that
// says so.
nlohmann::json kept_result(const StoredRun& run) {
  if (run.result.empty()) return nullptr;
  try {
    result_from(run);
    return nlohmann::json::parse(run.result);
  } catch (const DataError& error) {
    fmt::print(stderr, "gpscl: {}; its metrics are left out\n", error.what());
    return nullptr;
  }
}

// One row a run: what it is, every option of any spec, every metric.
Table table_of(const std::vector<StoredRun>& runs) {
  std::set<std::string> keys;
  for (const StoredRun& run : runs) {
    const auto spec = nlohmann::json::parse(run.spec);
    for (const auto& [key, value] : spec.items()) keys.insert(key);
  }
  std::vector<std::string> head = {"id", "hash", "status", "version", "seed"};
  head.insert(head.end(), keys.begin(), keys.end());
  for (const std::string& metric : names(metric_catalog())) head.push_back(metric);
  head.insert(head.end(), {"class_incremental_accuracy", "steps", "seconds", "error"});
  Table table = {head};
  const auto cell = [](const nlohmann::json& json, const std::string& key) -> std::string {
    if (!json.is_object() || !json.contains(key) || json.at(key).is_null()) return "";
    return json.at(key).is_string() ? json.at(key).get<std::string>() : json.at(key).dump();
  };
  for (const StoredRun& run : runs) {
    const auto spec = nlohmann::json::parse(run.spec);
    const nlohmann::json result = kept_result(run);
    const auto metrics = result.is_null() ? nlohmann::json() : result.at("metrics");
    std::vector<std::string> row = {fmt::format("{}", run.id), run.hash, name_of(run.status),
                                    run.version, fmt::format("{}", run.seed)};
    for (const std::string& key : keys) row.push_back(cell(spec, key));
    for (const std::string& metric : names(metric_catalog())) row.push_back(cell(metrics, metric));
    const bool is_split = result.is_object() && result.contains("class_incremental");
    row.push_back(is_split ? cell(result.at("class_incremental").at("metrics"), "average_accuracy")
                           : "");
    row.insert(row.end(), {cell(result, "steps"), fmt::format("{}", run.seconds), run.error});
    table.push_back(std::move(row));
  }
  return table;
}

void check_format(const std::string& format, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), format) == known.end())
    throw UsageError(fmt::format("unknown --format '{}'; known: {}", format, join(known)));
}

void compare_runs(const RunsOptions& options) {
  const std::string format = options.format.empty() ? "text" : options.format;
  check_format(format, {"text", "csv", "json", "md", "latex"});
  Store store = open(options);
  check_output(options.output);
  write_output(comparison(chosen_results(store, options), format), options.output);
}

void export_runs(const RunsOptions& options) {
  const std::string format = options.format.empty() ? "csv" : options.format;
  check_format(format, {"csv", "json", "md", "latex"});
  const bool is_table = format == "md" || format == "latex";
  if (is_table && !options.status.empty() && options.status != name_of(RunStatus::done)) {
    throw UsageError(fmt::format("--format {} is a table of runs that are done, got --status {}",
                                 format, options.status));
  }
  Store store = open(options);
  check_output(options.output);
  if (is_table) {
    write_output(comparison(chosen_results(store, options), format), options.output);
    return;
  }
  const std::vector<StoredRun> runs = runs_now(store, filter_from(options), /*with_results=*/true);
  if (format == "csv") {
    write_output(csv_table(table_of(runs)), options.output);
    return;
  }
  nlohmann::json all = nlohmann::json::array();
  for (const StoredRun& run : runs) all.push_back(as_json(run));
  write_output(all.dump(1) + "\n", options.output);
}

bool agrees(const std::string& question) {
  if (isatty(STDIN_FILENO) == 0)
    throw UsageError(question + " Say --yes where nobody can be asked");
  fmt::print(stderr, "{} [y/N] ", question);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

// Those that no process is at; a line for each of the others. Throws UsageError if that leaves
// none.
std::vector<StoredRun> free_runs(std::vector<StoredRun> runs) {
  const double now = seconds_now();
  std::vector<std::string> lines;
  std::erase_if(runs, [&, self = this_process()](const StoredRun& run) {
    if (!Store::is_at_work(run, self, now)) return false;
    lines.push_back(fmt::format("run {} is not removed: process {} on {} is at it", run.id,
                                run.owner.pid, run.owner.host));
    return true;
  });
  if (runs.empty()) throw UsageError(join(lines, "; "));
  for (const std::string& line : lines) fmt::print(stderr, "gpscl: {}\n", line);
  return runs;
}

// Its result, its checkpoints and what was exported: all that has its seed and hash in the name.
// The spec itself need not be one of this version.
void remove_files(const StoredRun& run, const std::filesystem::path& folder) {
  const std::string own = fmt::format("-seed{}-{}.", run.seed, run.hash);
  std::vector<std::filesystem::path> files;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().filename().string().find(own) != std::string::npos && entry.is_regular_file())
      files.push_back(entry.path());
  }
  for (const std::filesystem::path& file : files) std::filesystem::remove(file, ignored);
}

void remove(const RunsOptions& options) {
  RunFilter filter = filter_from(options);
  for (const std::string& what : options.what) filter.ids.push_back(id_from(what));
  const bool is_everything = filter.ids.empty() && filter.benchmark.empty() &&
                             filter.learner.empty() && filter.policy.empty() && !filter.status;
  if (is_everything) throw UsageError("which runs? name ids, or filters such as --status failed");
  open(options);  // a store that does not exist is not made
  Store store = open(options, /*read_only=*/false);
  std::vector<StoredRun> runs = runs_now(store, filter);
  if (runs.empty()) throw UsageError(fmt::format("no run in {} fits", store.path().string()));
  runs = free_runs(std::move(runs));
  const std::string question = fmt::format("Remove {} run{} and their JSON files for good?",
                                           runs.size(), runs.size() == 1 ? "" : "s");
  if (!options.is_sure && !agrees(question)) return;
  RunFilter those;
  for (const StoredRun& run : runs) those.ids.push_back(run.id);
  if (!options.is_sure) {  // the answer may have taken a while
    runs = free_runs(store.find(those));
    those.ids.clear();
    for (const StoredRun& run : runs) those.ids.push_back(run.id);
  }
  for (const StoredRun& run : runs) remove_files(run, store.path().parent_path());
  fmt::print("{} removed\n", store.remove(those));
}

struct Action {
  const char* name;
  void (*execute)(const RunsOptions&);
  bool takes_words;
  const char* options;  // that mean something to it, besides --store
};
constexpr std::array kActions = {
    Action{"list", list, false, "--benchmark --learner --policy --status --limit"},
    Action{"show", show, true, "--json"},
    Action{"compare", compare_runs, true, "--benchmark --learner --policy --format --output"},
    Action{"export", export_runs, false,
           "--benchmark --learner --policy --status --format --output"},
    Action{"rm", remove, true, "--benchmark --learner --policy --status --yes"}};

// Nothing is ignored without a word.
void check_is_expected(const Action& action, const CLI::App& command, const RunsOptions& options) {
  const std::vector<std::string> known = split(action.options, ' ');
  if (!action.takes_words && !options.what.empty()) {
    throw UsageError(
        fmt::format("gpscl runs {} takes no '{}'; --benchmark, --learner, --policy and --status "
                    "choose runs",
                    action.name, options.what.front()));
  }
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || option->get_positional() || option->get_lnames().empty()) continue;
    const std::string name = "--" + option->get_lnames().front();
    if (name == "--store" || std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw UsageError(
        fmt::format("gpscl runs {} takes no {}; it takes {}", action.name, name, join(known)));
  }
}

}  // namespace

void add_runs_command(CLI::App& app, int& /*exit_code*/) {
  CLI::App* command = app.add_subcommand("runs", kRunsHelp);
  command->set_help_flag();
  const auto options = std::make_shared<RunsOptions>();
  const auto action = std::make_shared<std::string>();
  command->add_option("action", *action);
  command->add_option("what", options->what);
  command->add_flag("-h,--help", options->wants_help);
  command->add_option("--store", options->store);
  command->add_option("--benchmark", options->benchmark);
  command->add_option("--learner", options->learner);
  command->add_option("--policy", options->policy);
  command->add_option("--status", options->status);
  command->add_option("--format", options->format);
  command->add_option("-o,--output", options->output);
  command->add_option("--limit", options->limit)->check(CLI::Range(0, 1000000000));
  command->add_flag("--json", options->wants_json);
  command->add_flag("-y,--yes", options->is_sure);
  command->callback([options, action, command] {
    if (options->wants_help) {
      fmt::print("{}", kRunsHelp);
      return;
    }
    std::vector<std::string> known;
    for (const Action& each : kActions) {
      if (*action == each.name) {
        check_is_expected(each, *command, *options);
        each.execute(*options);
        return;
      }
      known.emplace_back(each.name);
    }
    throw UsageError(action->empty()
                         ? "what about the runs? known: " + join(known)
                         : fmt::format("unknown action '{}'; known: {}", *action, join(known)));
  });
}

}  // namespace gps::cli
