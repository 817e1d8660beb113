#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "gps/core/errors.h"
#include "gps/core/tell_user.h"
#include "gps/core/text/name_list.h"
#include "gps/core/text/nearest.h"
#include "gps/core/text/numbers.h"
#include "gps/core/text/text.h"
#include "gps/core/work/clock.h"
#include "patience.h"
#include "reports/runs_actions.h"

namespace gps::cli {

std::int64_t id_from(const std::string& text) {
  const auto id = parse_number<std::int64_t>(text);
  if (!id || *id < 0)
    throw UsageError(fmt::format("'{}' is not the id of a run; all ids: gpscl runs list", text));
  return *id;
}

RunFilter filter_from(const RunsOptions& options) {
  RunFilter filter{{}, options.benchmark, options.learner, options.policy, {}};
  std::vector<std::string> known;
  for (const RunStatus status :
       {RunStatus::running, RunStatus::done, RunStatus::failed, RunStatus::interrupted}) {
    if (name_of(status) == options.status) filter.status = status;
    known.push_back(name_of(status));
  }
  if (!options.status.empty()) check_is_one_of("status", options.status, known);
  return filter;
}

Store open_store(const RunsOptions& options, bool read_only) {
  return Store(options.store, store_options({.read_only = read_only}));
}

std::vector<StoredRun> runs_now(Store& store, const RunFilter& filter, bool with_results) {
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

void check_names_in_store(Store& store, const RunFilter& filter) {
  const std::vector<StoredRun> all = store.find(RunFilter());
  const auto check = [&](const char* what, const std::string& name, auto values_of) {
    if (name.empty() || all.empty()) return;
    std::set<std::string> values;
    for (const StoredRun& run : all) values.merge(values_of(run));
    if (values.contains(name)) return;
    const std::vector<std::string> known(values.begin(), values.end());
    const std::string meant = probably_meant(name, known);
    throw DataError(fmt::format("no run matches {} '{}'; {}known: {}", what, name,
                                meant.empty() ? "" : fmt::format("did you mean '{}'? ", meant),
                                join(known)));
  };
  using Values = std::set<std::string>;
  check("benchmark", filter.benchmark, [](const StoredRun& run) { return Values{run.benchmark}; });
  check("learner", filter.learner, [](const StoredRun& run) { return Values{run.learner}; });
  check("policy", filter.policy, [](const StoredRun& run) {
    return Values{run.policy, run.label};
  });
}

void leave_out_damaged(std::vector<StoredRun>& runs, bool with_results) {
  std::erase_if(runs, [&](const StoredRun& run) {
    const std::string line = damage_line(run, with_results);
    if (!line.empty()) tell_user("gpscl: {}", line);
    return !line.empty();
  });
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

std::string json_text(const nlohmann::json& json) {
  return json.dump(1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace gps::cli
