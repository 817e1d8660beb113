#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "gps/core/errors.h"
#include "gps/core/text/printable.h"
#include "gps/experiments/leading.h"
#include "gps/experiments/result.h"
#include "gps/experiments/spec/repeat_command.h"
#include "gps/report/labels.h"
#include "gps/report/picture.h"
#include "gps/report/planned.h"
#include "gps/report/tables/metrics_table.h"
#include "gps/report/tables/table.h"
#include "reports/runs_actions.h"
#include "run/run_setup.h"
#include "terminal/option_text.h"

namespace gps::cli {
namespace {

// Returns one key of the run's spec as text, or "-" if the spec does not have it.
Cell cell_of(const nlohmann::json& value) {
  if (value.is_null()) return Cell::missing();
  if (value.is_number()) return Cell::exact(value.get<double>());
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Cell spec_value(const StoredRun& run, const std::string& key) {
  const auto spec = nlohmann::json::parse(run.spec);
  return cell_of(spec.contains(key) ? spec.at(key) : nlohmann::json());
}

Cell memory_of(const StoredRun& run) { return cell_of(memory_in(nlohmann::json::parse(run.spec))); }

// Returns for example "er gps:rotation". The label of a run whose learner is planned says so.
std::string method_of(const StoredRun& run) {
  if (run.policy == "none") return run.learner;
  return run.learner == "plan" ? run.label : run.learner + " " + run.label;
}

StoredRun the_run(Store& store, const std::vector<std::string>& what) {
  if (what.size() != 1)
    throw UsageError("expected the id of one run; gpscl runs list shows the ids");
  RunFilter filter;
  filter.ids = {id_from(what.front())};
  std::vector<StoredRun> runs = runs_now(store, filter, /*with_results=*/true);
  if (runs.empty()) {
    throw UsageError(fmt::format("there is no run {} in {}; all ids: gpscl runs list", what.front(),
                                 store.path().string()));
  }
  const std::string damage = damage_line(runs.front(), /*with_result=*/true);
  if (!damage.empty()) throw DataError(damage);
  return runs.front();
}

void print_plan(const RunResult& result) {
  if (result.plan.is_empty()) return;
  fmt::print("\nplan: {}\n{}", prediction_text(result), text_table(plan_table(result)));
  const Table best = candidates_table(result.plan, result.plan.choices.size() > 1 ? 3 : 5);
  if (!best.is_empty())
    fmt::print("\nthe best candidates, with the accuracy of their trials\n{}", text_table(best));
}

void print_matrix(const AccuracyMatrix& matrix, const std::string& among) {
  fmt::print("\naccuracy % on each task (columns) after each task (rows){}\n", among);
  for (const std::vector<double>& row : matrix) {
    for (const double value : row) fmt::print(" {:6.2f}", 100 * value);
    fmt::print("{}\n", row.empty() ? "      -" : "");
  }
}

void print_result(const RunResult& result) {
  if (result.has_collapsed)
    fmt::print("! collapsed: the network is dead, and its accuracies are not results\n");
  for (const std::string& line : warning_lines(result)) fmt::print("{}\n", printable(line));
  fmt::print("\n{}", text_table(metrics_table(result)));
  print_plan(result);
  const bool is_split = is_led_by_all_classes(result);
  print_matrix(leading_accuracy(result), is_split ? ", among all classes" : "");
  if (is_split) print_matrix(result.accuracy, ", among the classes of each task");
  const std::string points = switching_points_picture(result);
  if (!points.empty())
    fmt::print("\nswitching points: # class-balanced ring part, . random part\n{}", points);
  if (const std::string stored = stored_text(result); !stored.empty())
    fmt::print("\nmemory after the last task: {}\n", stored);
  if (const std::string missing = missing_classes_text(result); !missing.empty())
    fmt::print("{}\n", missing);
  fmt::print("\ntraining {:.1f} s, simulation {:.1f} s, evaluation {:.1f} s, {} steps\n",
             result.seconds.training, result.seconds.simulation, result.seconds.evaluation,
             result.steps);
}

}  // namespace

void list_runs(const RunsOptions& options) {
  Store store = open_store(options);
  const RunFilter filter = filter_from(options);
  std::vector<StoredRun> runs = runs_now(store, filter);
  if (runs.empty()) check_names_in_store(store, filter);
  leave_out_damaged(runs);
  Table table = {"id",     "finished", "benchmark", "learner",         "policy", "tasks",
                 "memory", "seed",     "status",    {"accuracy", "%"}, "time",   "version"};
  const std::size_t shown = options.limit == 0 ? runs.size() : std::min(options.limit, runs.size());
  std::vector<std::int64_t> ids;
  for (std::size_t k = 0; k < shown; ++k) ids.push_back(runs[k].id);
  const std::set<std::int64_t> collapsed = store.collapsed(ids);
  const std::map<std::int64_t, double> among_all = store.among_all(ids);
  bool has_mark = false;
  for (std::size_t k = 0; k < shown; ++k) {
    const StoredRun& run = runs[k];
    const auto when = static_cast<std::time_t>(run.finished > 0 ? run.finished : run.started);
    const bool has_collapsed = collapsed.contains(run.id);
    has_mark = has_mark || has_collapsed;
    const auto led = among_all.find(run.id);
    const std::optional<double> accuracy =
        led == among_all.end() ? run.accuracy : std::optional(led->second);
    table.rows.push_back(
        {Cell::count(run.id), fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(when)), run.benchmark,
         run.learner, run.label, spec_value(run, "tasks"), memory_of(run), Cell::count(run.seed),
         name_of(run.status) + (has_collapsed ? " !" : ""), Cell::percent(accuracy),
         run.seconds > 0 ? Cell::seconds(run.seconds) : Cell::missing(), run.version});
  }
  fmt::print("{}", text_table(table));
  if (!among_all.empty()) {
    fmt::print(
        "accuracy is among all classes, also where each task has its own; gpscl runs show has "
        "both\n");
  }
  if (has_mark)
    fmt::print("! the run collapsed: its network is dead, and its accuracy is not a result\n");
  if (shown < runs.size()) fmt::print("{} more; --limit 0 shows all\n", runs.size() - shown);
}

void show_run(const RunsOptions& options) {
  Store store = open_store(options);
  const StoredRun run = the_run(store, options.what);
  if (options.wants_json) {
    fmt::print("{}", json_text(as_json(run)));
    return;
  }
  fmt::print("run {} ({}), {} {} seed {}: {}\n", run.id, run.hash, printable(run.benchmark),
             printable(method_of(run)), run.seed, name_of(run.status));
  fmt::print("version {}, process {} on {}, {:.1f} s\n", printable(run.version), run.owner.pid,
             printable(run.owner.host), run.seconds);
  if (!run.error.empty()) fmt::print("error: {}\n", printable(with_dashes(run.error)));
  try {
    const Spec spec = spec_from_json(nlohmann::json::parse(run.spec));
    fmt::print("\nto repeat it: {}\n", command_for(arguments_for(spec), run.seed));
  } catch (const DataError& error) {  // a run of another version of gpscl
    fmt::print("\nthis gpscl cannot repeat the run: {}; --json shows what is recorded\n",
               printable(error.what()));
    return;
  }
  if (!run.result.empty()) print_result(result_from(run));
}

}  // namespace gps::cli
