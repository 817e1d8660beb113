#include "gps/report/tables/analysis_tables.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "gps/probes/one_minimum.h"
#include "gps/probes/ratio_distance.h"
#include "gps/probes/time_ratio.h"

namespace gps {
namespace {

using nlohmann::json;

void add(AnalysisTable& table, const Spec& spec, Row row) {
  table.table.rows.push_back(std::move(row));
  table.specs.push_back(spec);
}

struct ByTasks {
  bool operator()(const std::string& a, const std::string& b) const {
    return std::pair(rank_of_tasks(a), a) < std::pair(rank_of_tasks(b), b);
  }
};

// Uses curves of equal ring sizes. Curves with fewer than three points are left out, because two
// points always have one minimum.
AnalysisTable one_minimum_table(const std::vector<ReportedAnalysis>& analyses) {
  AnalysisTable table{
      "one-minimum",
      "Curves of the test loss over the ring size that have one minimum: as they are, and where a "
      "second one within the noise of the seeds does not count. Chance if flat: how often curves "
      "that do not depend on the ring size differ as much",
      {"setting", "future", "ring sizes", "one minimum", "beyond noise", "chance if flat"},
      {}};
  for (const AnalysisGroup& group : groups_of(analyses, RingSizeOptions::kKind, {"future"})) {
    std::map<std::string, std::vector<std::vector<double>>, ByTasks> by_future;
    for (const ReportedAnalysis* analysis : group.analyses) {
      const auto& curve = std::get<RingSizeCurve>(analysis->result);
      if (curve.points.size() < 3) continue;
      by_future[json::parse(analysis->options).at("future").get<std::string>()].push_back(
          values_of(curve, Measure::test_loss));
    }
    for (const auto& [future, curves] : by_future) {
      const OneMinimum found = one_minimum(curves);
      const auto share = [&](std::size_t some) { return Cell::share(some, found.curves); };
      add(table, group.analyses.front()->spec,
          {group.title, future, Cell::count(curves.front().size()), share(found.with_one),
           found.noise ? share(found.with_one_beyond_noise) : Cell::missing(),
           found.noise ? Cell::number(found.flat_chance, 3) : Cell::missing()});
    }
  }
  return table;
}

AnalysisTable variance_table(const std::vector<ReportedAnalysis>& analyses) {
  AnalysisTable table{"difficulty-variance",
                      "The variance of the accuracies of tasks learnt alone, percent squared, over "
                      "the tasks of a seed; mean ± standard deviation over seeds",
                      {"setting", "tasks", "count", "seeds", "variance"},
                      {}};
  for (const AnalysisGroup& group :
       groups_of(analyses, DifficultyOptions::kKind, {"source", "count"})) {
    std::map<std::string, std::map<std::size_t, std::vector<double>>, ByTasks> variances;
    for (const ReportedAnalysis* analysis : group.analyses) {
      const auto source = json::parse(analysis->options).at("source").get<std::string>();
      const auto& difficulty = std::get<Difficulty>(analysis->result);
      variances[source][difficulty.tasks.size()].push_back(variance_of_accuracy(difficulty));
    }
    for (const auto& [source, by_count] : variances) {
      for (const auto& [count, values] : by_count) {
        add(table, group.analyses.front()->spec,
            {group.title, source, Cell::count(count), Cell::count(values.size()),
             Cell::mean(values, 2)});
      }
    }
  }
  return table;
}

// future_of() returns the future of a gps search. search_of() returns all other options, without
// the sizes whose defaults depend on the future.
std::string future_of(const Spec& spec) {
  return std::get<std::string>(setting_of(spec.policy, "future"));
}

json search_of(const Spec& spec) {
  json options = to_json(spec);
  for (const char* key : {"future", "simulation_epochs", "simulation_examples"}) options.erase(key);
  return options;
}

bool decide_on_the_same_tasks(const RunResult& a, const RunResult& b) {
  return !a.decisions.empty() &&
         std::equal(a.decisions.begin(), a.decisions.end(), b.decisions.begin(), b.decisions.end(),
                    [](const Decision& x, const Decision& y) { return x.task == y.task; });
}

AnalysisTable ratio_table(const std::vector<ReportedSetting>& settings) {
  AnalysisTable table{"ratio-distance",
                      "The L1 distance of the ratios of ring parts that gps found to those of the "
                      "oracle (gps:offline) with the same seed, over all tasks but the last; mean "
                      "± standard deviation over seeds",
                      {"setting", "runs", "seeds", "distance"},
                      {}};
  for (const ReportedSetting& setting : settings) {
    for (const ReportedLine& oracle : setting.lines) {
      const Spec& real = oracle.seeds.front()->spec;
      if (real.policy.name != "gps" || future_of(real) != "offline") continue;
      for (const ReportedLine& line : setting.lines) {
        const Spec& spec = line.seeds.front()->spec;
        if (spec.policy.name != "gps" || future_of(spec) == "offline" ||
            search_of(spec) != search_of(real))
          continue;
        std::vector<double> distances;
        for (const RunResult* run : line.seeds) {
          const auto same =
              std::find_if(oracle.seeds.begin(), oracle.seeds.end(),
                           [&](const RunResult* other) { return other->seed == run->seed; });
          if (same != oracle.seeds.end() && decide_on_the_same_tasks(*run, **same))
            distances.push_back(ratio_distance(**same, *run).distance);
        }
        if (distances.empty()) continue;
        add(table, spec,
            {setting.comparable.title, line.label, Cell::count(distances.size()),
             Cell::mean(distances, 3)});
      }
    }
  }
  return table;
}

AnalysisTable time_table(const std::vector<ReportedSetting>& settings) {
  AnalysisTable table{
      "time",
      "Simulation against training, wall-clock; mean ± standard deviation over seeds",
      {"setting", "runs", "seeds", "training seconds", "simulation seconds", "simulation/training"},
      {}};
  for (const ReportedSetting& setting : settings) {
    for (const ReportedLine& line : setting.lines) {
      if (line.seeds.front()->spec.policy.name != "gps") continue;  // others simulate nothing
      std::vector<double> training;
      std::vector<double> simulation;
      std::vector<double> ratio;
      for (const RunResult* run : line.seeds) {
        const TimeRatio times = time_ratio(*run);
        if (times.simulation <= 0 || times.training <= 0) continue;
        training.push_back(times.training);
        simulation.push_back(times.simulation);
        ratio.push_back(times.ratio);
      }
      if (ratio.empty()) continue;
      add(table, line.seeds.front()->spec,
          {setting.comparable.title, line.label, Cell::count(ratio.size()), Cell::mean(training, 2),
           Cell::mean(simulation, 2), Cell::mean(ratio, 3)});
    }
  }
  return table;
}

}  // namespace

std::vector<AnalysisTable> analysis_tables(const std::vector<ReportedAnalysis>& analyses,
                                           const std::vector<ReportedSetting>& settings) {
  std::vector<AnalysisTable> tables = {one_minimum_table(analyses), variance_table(analyses),
                                       ratio_table(settings), time_table(settings)};
  std::erase_if(tables, [](const AnalysisTable& table) { return table.table.is_empty(); });
  return tables;
}

}  // namespace gps
