#include "gps/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "gps/report/comparison.h"

namespace gps {
namespace {

std::string key_of(const RunResult& result) {
  return fmt::format("{} {}", result.seed, to_json(result.spec).dump());
}

std::vector<ReportedLine> lines_of(const std::vector<RunResult>& results,
                                   const std::vector<std::string>& labels,
                                   const std::map<std::string, std::int64_t>& ids) {
  std::vector<ReportedLine> lines;
  for (std::size_t k = 0; k < results.size(); ++k) {
    auto line = std::find_if(lines.begin(), lines.end(),
                             [&](const ReportedLine& each) { return each.label == labels[k]; });
    if (line == lines.end()) line = lines.insert(lines.end(), {labels[k], {}, {}});
    line->seeds.push_back(&results[k]);
  }
  for (ReportedLine& line : lines) {
    std::sort(line.seeds.begin(), line.seeds.end(),
              [](const RunResult* a, const RunResult* b) { return a->seed < b->seed; });
    for (const RunResult* result : line.seeds) line.ids.push_back(ids.at(key_of(*result)));
  }
  return lines;
}

}  // namespace

std::vector<ReportedSetting> settings_of(const Report& report) {
  std::vector<RunResult> results;
  std::map<std::string, std::int64_t> ids;
  for (auto run = report.runs.rbegin(); run != report.runs.rend(); ++run) {  // oldest first
    if (!run->result) continue;
    results.push_back(*run->result);
    ids[key_of(*run->result)] = run->run.id;
  }
  std::vector<ReportedSetting> settings;
  for (ComparableResults& comparable : by_setting(results)) {
    ReportedSetting setting{std::move(comparable), {}, {}, {}};
    std::vector<Spec> specs;
    for (const RunResult& result : setting.comparable.results) specs.push_back(result.spec);
    setting.labels = distinct_labels(specs);
    setting.table = compare(setting.comparable.results, setting.labels, /*with_seeds=*/true);
    setting.lines = lines_of(setting.comparable.results, setting.labels, ids);
    settings.push_back(std::move(setting));
  }
  return settings;
}

}  // namespace gps
