#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "gps/core/errors.h"
#include "gps/core/tell_user.h"
#include "gps/core/text/name_list.h"
#include "gps/core/text/nearest.h"
#include "gps/core/text/printable.h"
#include "gps/core/text/text.h"
#include "gps/experiments/result.h"
#include "gps/report/comparison.h"
#include "gps/report/labels.h"
#include "gps/report/tables/metrics_table.h"
#include "gps/report/tables/table.h"
#include "reports/runs_actions.h"
#include "terminal/output.h"

namespace gps::cli {
namespace {

// Returns whether the argument `what` refers to this run.
bool is_meant(const std::string& what, const StoredRun& run, const std::set<std::string>& specs) {
  return specs.contains(run.spec) || what == run.policy || what == run.label ||
         what == run.learner || what == run.learner + " " + run.label ||
         what == run.learner + " " + run.policy;
}

// Returns the finished runs that match the arguments and filters, in the order of the arguments;
// oldest first within each.
std::vector<RunResult> chosen_results(Store& store, const RunsOptions& options) {
  RunFilter filter = filter_from(options);
  filter.status = RunStatus::done;
  std::vector<StoredRun> runs = store.find(filter, /*with_results=*/true);
  if (runs.empty()) check_names_in_store(store, filter);
  leave_out_damaged(runs);
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
          fmt::format("no finished run of '{}' in {}; give a policy, a learner, \"learner policy\" "
                      "or an id from: gpscl runs list --status done",
                      what, store.path().string()));
    }
  }
  if (options.what.empty()) {
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) add(*run);
  }
  if (chosen.empty())
    throw UsageError(
        fmt::format("no finished run in {} matches the filters", store.path().string()));
  std::vector<RunResult> results;
  for (const StoredRun* run : chosen) {
    try {
      results.push_back(result_from(*run));
    } catch (const DataError& error) {
      if (chosen.size() == 1) throw;
      tell_user("gpscl: {}; left out", error.what());
    }
  }
  if (results.empty())
    throw DataError(
        fmt::format("{}: none of the matching results can be read", store.path().string()));
  return results;
}

std::string rendered(const Table& table, const std::string& format) {
  if (format == "md") return markdown_table(table);
  if (format == "latex") return latex_table(table);
  return text_table(table);
}

// Returns whether --baseline may mean a run by this name as well as by its label.
bool is_named(const std::string& name, const Spec& spec) {
  const auto& [learner, policy, own] = run_names(spec);
  const std::string& label = policy == "none" ? learner : own;
  return name == policy || name == label || name == learner || name == learner + " " + policy ||
         name == learner + " " + label;
}

// Returns the label that --baseline means in one setting: one of `labels`, or the only one that the
// name fits; "" if there is none. Throws UsageError if the name fits several.
std::string baseline_label(const std::string& name, const std::vector<Spec>& specs,
                           const std::vector<std::string>& labels, const std::string& setting) {
  if (std::find(labels.begin(), labels.end(), name) != labels.end()) return name;
  std::vector<std::string> found;
  for (std::size_t k = 0; k < specs.size(); ++k) {
    if (!is_named(name, specs[k])) continue;
    if (std::find(found.begin(), found.end(), labels[k]) == found.end()) found.push_back(labels[k]);
  }
  if (found.size() > 1) {
    throw UsageError(fmt::format("`baseline` {} fits several lines of {}: {}; give one of them",
                                 name, setting, join(found)));
  }
  return found.empty() ? "" : found.front();
}

// One setting of a comparison.
struct Compared {
  std::string title;
  std::string baseline;  // the label of the line that the others are compared with; "": none
  Table table;
  nlohmann::json lines;
  // Among which classes accuracies are, about dead networks, why there are no differences.
  std::vector<std::string> notes;
};

// Returns the settings in the order of their results. Throws UsageError if `baseline` is given and
// no setting has it. A setting without it has no differences.
std::vector<Compared> compared(const std::vector<RunResult>& results, const std::string& baseline) {
  std::vector<Compared> settings;
  std::vector<std::string> known;
  bool has_baseline = baseline.empty();
  for (const ComparableResults& group : by_setting(results)) {
    std::vector<Spec> specs;
    for (const RunResult& result : group.results) specs.push_back(result.spec);
    const std::vector<std::string> labels = distinct_labels(specs);
    for (const std::string& label : labels) {
      if (std::find(known.begin(), known.end(), label) == known.end()) known.push_back(label);
    }
    const std::string base =
        baseline.empty() ? labels.front() : baseline_label(baseline, specs, labels, group.title);
    has_baseline = has_baseline || !base.empty();
    const std::string wanted = base.empty() ? baseline : base;  // not a label: no differences
    Compared setting{group.title,
                     base,
                     compare(group.results, labels, /*with_seeds=*/true, wanted),
                     compare_as_json(group.results, labels, wanted),
                     {}};
    for (const std::string& note : {among_note(group.results), collapsed_note(group.results)}) {
      if (!note.empty()) setting.notes.push_back(note);
    }
    if (base.empty()) {
      setting.notes.push_back(
          fmt::format("no run of {} is here, so there are no differences", printable(baseline)));
    }
    settings.push_back(std::move(setting));
  }
  if (!has_baseline) throw UsageError(unknown_name_text("`baseline`", baseline, known));
  return settings;
}

// Returns all settings as one table, for programs: each line has its setting and the line that it
// is compared with.
Table one_table(const std::vector<Compared>& settings) {
  const auto head_of = [](const Compared& setting, std::size_t column) {
    if (column == 0) return Column("run");  // "policy" or "learner"
    const Column& found = setting.table.columns[column];
    return found.name == "vs " + setting.baseline ? Column("difference") : found;
  };
  std::vector<Column> heads;  // of all settings; each behind the one that is before it in its table
  const auto place_of = [&](const Column& head) {
    return std::find_if(heads.begin(), heads.end(),
                        [&](const Column& known) { return known.head() == head.head(); });
  };
  for (const Compared& setting : settings) {
    auto next = heads.begin();
    for (std::size_t c = 0; c < setting.table.columns.size(); ++c) {
      const Column head = head_of(setting, c);
      const auto at = place_of(head);
      next = std::next(at == heads.end() ? heads.insert(next, head) : at);
    }
  }
  Table all = {"setting", "baseline"};
  all.columns.insert(all.columns.end(), heads.begin(), heads.end());
  for (const Compared& setting : settings) {
    for (const Row& row : setting.table.rows) {
      Row line(all.columns.size(), Cell::nothing());
      line[0] = setting.title;
      line[1] = setting.baseline;
      for (std::size_t c = 0; c < row.size(); ++c)
        line[2 + static_cast<std::size_t>(place_of(head_of(setting, c)) - heads.begin())] = row[c];
      all.rows.push_back(std::move(line));
    }
  }
  return all;
}

// Returns one table per setting, each with its title; one table of all settings as CSV.
std::string comparison(const std::vector<RunResult>& results, const std::string& format,
                       const std::string& baseline = "") {
  const std::vector<Compared> settings = compared(results, baseline);
  if (format == "csv") return csv_table(one_table(settings));
  if (format == "json") {
    nlohmann::json all = nlohmann::json::array();
    for (const Compared& setting : settings) {
      all.push_back({{"setting", setting.title},
                     {"baseline", setting.baseline.empty() ? nlohmann::json()
                                                           : nlohmann::json(setting.baseline)},
                     {"runs", setting.lines}});
    }
    return all.dump(1) + "\n";
  }
  const char* const mark = format == "latex" ? "% " : "";
  std::string text;
  for (const Compared& setting : settings) {
    if (!text.empty()) text += "\n";
    text += fmt::format("{}{}\n{}{}", mark, printable(setting.title), format == "latex" ? "" : "\n",
                        rendered(setting.table, format));
    for (const std::string& note : setting.notes)
      text += fmt::format("{}{}{}\n", format == "md" ? "\n" : "", mark, note);
  }
  return text;
}

// Returns the result in this version's format, with all metrics. Returns null if there is no
// result; also if the result cannot be read, after printing a message.
nlohmann::json kept_result(const StoredRun& run) {
  if (run.result.empty()) return nullptr;
  try {
    return to_json(result_from(run));
  } catch (const DataError& error) {
    tell_user("gpscl: {}; its metrics are left out", error.what());
    return nullptr;
  }
}

// Returns one row per run: its identity, all options of all specs, and all metrics.
Table table_of(const std::vector<StoredRun>& runs) {
  std::set<std::string> keys;
  for (const StoredRun& run : runs) {
    const auto spec = nlohmann::json::parse(run.spec);
    for (const auto& [key, value] : spec.items()) keys.insert(key);
  }
  Table table = {"id", "hash", "status", "version", "seed"};
  table.columns.insert(table.columns.end(), keys.begin(), keys.end());
  for (const Metric& metric : metric_catalog()) table.columns.emplace_back(metric.name);
  for (const char* head : {"class_incremental_accuracy", "steps", "seconds", "error", "collapsed"})
    table.columns.emplace_back(head);
  const auto cell = [](const nlohmann::json& json, const std::string& key) -> Cell {
    if (!json.is_object() || !json.contains(key) || json.at(key).is_null()) return Cell::nothing();
    return json.at(key).is_string() ? json.at(key).get<std::string>() : json.at(key).dump();
  };
  for (const StoredRun& run : runs) {
    const auto spec = nlohmann::json::parse(run.spec);
    const nlohmann::json result = kept_result(run);
    const auto metrics = result.is_null() ? nlohmann::json() : result.at("metrics");
    Row row = {Cell::count(run.id), run.hash, name_of(run.status), run.version,
               Cell::count(run.seed)};
    for (const std::string& key : keys) row.push_back(cell(spec, key));
    for (const Metric& metric : metric_catalog()) row.push_back(cell(metrics, metric.name));
    const bool is_split = result.is_object() && result.contains("class_incremental");
    row.push_back(is_split ? cell(result.at("class_incremental").at("metrics"), "average_accuracy")
                           : Cell::nothing());
    row.insert(row.end(), {cell(result, "steps"), Cell::exact(run.seconds), run.error,
                           cell(result, "collapsed")});
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

void compare_runs(const RunsOptions& options) {
  const std::string format = options.format.empty() ? "text" : options.format;
  check_is_one_of("format", format, {"text", "csv", "json", "md", "latex"});
  Store store = open_store(options);
  check_output(options.output);
  write_output(comparison(chosen_results(store, options), format, options.baseline),
               options.output);
}

void export_runs(const RunsOptions& options) {
  const std::string format = options.format.empty() ? "csv" : options.format;
  check_is_one_of("format", format, {"csv", "json", "md", "latex"});
  const bool is_table = format == "md" || format == "latex";
  if (is_table && !options.status.empty() && options.status != name_of(RunStatus::done)) {
    throw UsageError(
        fmt::format("--format {} shows only finished runs, so it cannot be used with --status {}",
                    format, options.status));
  }
  Store store = open_store(options);
  check_output(options.output);
  if (is_table) {
    write_output(comparison(chosen_results(store, options), format), options.output);
    return;
  }
  std::vector<StoredRun> runs = runs_now(store, filter_from(options), /*with_results=*/true);
  leave_out_damaged(runs, /*with_results=*/true);
  if (format == "csv") {
    write_output(csv_table(table_of(runs)), options.output);
    return;
  }
  nlohmann::json all = nlohmann::json::array();
  for (const StoredRun& run : runs) all.push_back(as_json(run));
  write_output(json_text(all), options.output);
}

}  // namespace gps::cli
