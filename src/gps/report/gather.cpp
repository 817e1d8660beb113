#include "gps/report/gather.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "gps/core/work/clock.h"
#include "gps/experiments/export/export.h"
#include "gps/experiments/spec/repeat_command.h"

namespace gps {
namespace {

// Adds the command, the current status and the parsed result to a run of the store. If the result
// is of another version, the message becomes the error of the run. Throws DamagedResult.
ReportedRun reported_run(StoredRun run,
                         std::map<std::string, std::vector<std::string>>& arguments) {
  ReportedRun all;
  try {
    const auto at = arguments.find(run.spec);
    if (at == arguments.end())
      arguments[run.spec] = arguments_for(spec_from_json(nlohmann::json::parse(run.spec)));
    all.command = command_for(arguments[run.spec], run.seed);
  } catch (const std::exception& error) {
    all.command =
        fmt::format("# gpscl {} has no command for this run: {}", run.version, error.what());
  }
  run.status = Store::status_now(run, this_process(), seconds_now());
  try {
    if (!run.result.empty()) all.result = result_from(run);
  } catch (const DamagedResult&) {
    throw;
  } catch (const DataError& error) {
    run.error = error.what();
  }
  run.result.clear();
  all.run = std::move(run);
  return all;
}

// Adds contact sheets while there is room: first one run of each spec, then the second of each, and
// so on.
void add_sheets(Report& report, const std::filesystem::path& folder, double room,
                const TellLine& tell) {
  std::map<std::string, std::vector<ReportedRun*>> by_spec;
  for (ReportedRun& run : report.runs) {
    if (run.result &&
        std::filesystem::exists(exported_memory_file(run.result->spec, run.run.seed, folder)))
      by_spec[run.run.spec].push_back(&run);
  }
  std::vector<std::pair<std::size_t, ReportedRun*>> order;
  for (auto& [spec, runs] : by_spec) {
    std::sort(runs.begin(), runs.end(),
              [](const auto* a, const auto* b) { return a->run.seed < b->run.seed; });
    for (std::size_t rank = 0; rank < runs.size(); ++rank) order.emplace_back(rank, runs[rank]);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second->run.id > b.second->run.id;
  });
  for (const auto& [rank, run] : order) {
    if (room <= 0) {
      ++report.sheets_left_out;
      continue;
    }
    if (!run->result->spec.network.backbone.empty()) continue;  // features are no pictures
    try {
      const ExportedMemory memory = read_exported_memory(run->result->spec, run->run.seed, folder);
      if (memory.tasks.empty()) continue;
      run->sheet = contact_sheet(memory);
      room -= static_cast<double>(run->sheet->png.size()) * 4 / 3;
      if (room >= 0) continue;
      run->sheet.reset();
      ++report.sheets_left_out;
    } catch (const DataError& error) {
      tell(fmt::format("{}; its images are left out", error.what()));
    }
  }
}

// Returns the analyses that match the filters. Analyses that cannot be read are left out, with a
// message.
std::vector<ReportedAnalysis> analyses_of(Store& store, const GatherOptions& options,
                                          const TellLine& tell) {
  const auto fits = [](const std::string& wanted, const std::string& name) {
    return wanted.empty() || wanted == name;
  };
  std::vector<ReportedAnalysis> all;
  for (const StoredAnalysis& analysis : store.analyses()) {
    try {
      ReportedAnalysis read = reported(analysis);
      const Spec& spec = read.spec;
      if (fits(options.benchmark, spec.benchmark.name) &&
          fits(options.learner, spec.learner.name) &&
          (fits(options.policy, spec.policy.name) ||
           fits(options.policy, policy_label(spec.policy))))
        all.push_back(std::move(read));
    } catch (const DataError& error) {
      tell(fmt::format("{}; it is left out", error.what()));
    }
  }
  return all;
}

// Throws DataError if no run matches the filter, so that an empty report does not replace a file.
void check_has_runs(Store& store, const RunFilter& filter) {
  if (!store.find(filter).empty()) return;
  const std::vector<StoredRun> all = store.find(RunFilter());
  if (all.empty()) {
    throw DataError(
        fmt::format("{}: no run is recorded here; gpscl run and gpscl sweep record runs",
                    store.path().string()));
  }
  std::string asked;
  std::string there;
  const auto add = [&](const char* option, const char* what, const std::string& value, auto of) {
    if (value.empty()) return;
    std::set<std::string> values;
    for (const StoredRun& run : all) values.insert(of(run));
    asked += fmt::format(" `{}` {}", option, value);
    there += fmt::format("; its {}: {}", what, fmt::join(values, ", "));
  };
  add("benchmark", "benchmarks", filter.benchmark, [](auto& run) { return run.benchmark; });
  add("learner", "learners", filter.learner, [](auto& run) { return run.learner; });
  add("policy", "policies", filter.policy, [](auto& run) { return run.label; });
  throw DataError(fmt::format("{}: none of {} runs matches{}{}", store.path().string(), all.size(),
                              asked, there));
}

}  // namespace

Report gather_report(Store& store, const GatherOptions& options, const TellLine& tell) {
  const RunFilter filter{{}, options.benchmark, options.learner, options.policy, {}};
  Report report;
  report.analyses = analyses_of(store, options, tell);
  if (report.analyses.empty()) check_has_runs(store, filter);
  report.store = store.path().string();
  report.made = fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(std::time(nullptr)));
  std::map<std::string, std::vector<std::string>> arguments;
  for (StoredRun& run : store.find(filter, /*with_results=*/true)) {
    const std::string damage = damage_line(run);
    if (!damage.empty()) {
      tell(damage);
      continue;
    }
    try {
      report.runs.push_back(reported_run(std::move(run), arguments));
    } catch (const DamagedResult& error) {
      tell(error.what());
    }
  }
  if (report.runs.empty() && report.analyses.empty())
    throw DataError(fmt::format("{}: none of the runs can be read", report.store));
  add_sheets(report, store.path().parent_path(), options.room_for_images, tell);
  return report;
}

}  // namespace gps
