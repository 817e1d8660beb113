#include "gps/report/charts/analysis_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "gps/benchmarks/benchmark.h"

namespace gps {
namespace {

using nlohmann::json;

const SeedMeasure kLoss{"test loss", 4};
const SeedMeasure kAccuracy{{"test accuracy", "%"}, 2};
const std::vector<SeedMeasure> kTaskMeasures = {
    kLoss, kAccuracy, {"held-back loss", 4}, {{"held-back accuracy", "%"}, 2}};

// Values by line, x, measure and seed.
using ByMeasure = std::vector<std::map<std::uint64_t, double>>;
using ByX = std::map<double, ByMeasure>;
using ByLine = std::map<std::string, ByX>;

void put(ByMeasure& at, std::uint64_t seed, const std::vector<std::optional<double>>& values) {
  at.resize(values.size());
  for (std::size_t m = 0; m < values.size(); ++m) {
    if (values[m]) at[m].emplace(seed, *values[m]);  // keeps the first value, which is the latest
  }
}

std::vector<AnalysisLine> lines_of(const ByLine& by_line) {
  std::vector<AnalysisLine> lines;
  for (const auto& [label, by_x] : by_line) {
    AnalysisLine line{label, {}};
    for (const auto& [x, by_measure] : by_x) {
      AnalysisPoint point{x, {}};
      for (const auto& by_seed : by_measure) {
        point.values.emplace_back();
        for (const auto& [seed, value] : by_seed) point.values.back().push_back(value);
      }
      line.points.push_back(std::move(point));
    }
    lines.push_back(std::move(line));
  }
  std::stable_sort(lines.begin(), lines.end(), [](const AnalysisLine& a, const AnalysisLine& b) {
    return rank_of_tasks(a.label) < rank_of_tasks(b.label);
  });
  return lines;
}

// Returns "offline"; if a setting has curves with different ratios, "offline, ratios 0 0.5 1".
std::string curve_label(const json& options, const AnalysisGroup& group) {
  auto future = options.at("future").get<std::string>();
  const bool is_alone =
      std::all_of(group.analyses.begin(), group.analyses.end(), [&](const ReportedAnalysis* other) {
        const json theirs = json::parse(other->options);
        return theirs.at("future") != future || theirs.at("ratios").size() < 2 ||
               theirs.at("ratios") == options.at("ratios");
      });
  if (is_alone) return future;
  std::string label = future + ", ratios";
  for (const json& ratio : options.at("ratios")) label += fmt::format(" {:g}", ratio.get<double>());
  return label;
}

AnalysisChart ring_size_chart(const AnalysisGroup& group) {
  AnalysisChart chart{"ring-size",
                      group.title,
                      group.analyses.front()->spec,
                      "future",
                      "ring size",
                      "",
                      kTaskMeasures,
                      2};
  chart.measures.push_back({"global loss", 4});
  chart.measures.push_back({{"global accuracy", "%"}, 2});
  ByLine lines;
  for (const ReportedAnalysis* analysis : group.analyses) {
    const json options = json::parse(analysis->options);
    const auto& curve = std::get<RingSizeCurve>(analysis->result);
    if (options.at("ratios").size() < 2) continue;
    chart.x_title =
        fmt::format("ring size of task {}, of {}", options.at("task").get<int>(), curve.quota);
    ByX& line = lines[curve_label(options, group)];
    for (const RingSizePoint& point : curve.points) {
      const TaskScore& end = point.end();
      put(line[static_cast<double>(point.plan.ring_size)], analysis->seed,
          {end.test_loss, end.test_accuracy, end.loss, end.accuracy, point.global_loss,
           point.global_accuracy});
    }
  }
  chart.lines = lines_of(lines);
  return chart;
}

// Returns 0.5 or the recorded ratio nearest to it, and the ratios that were recorded alone.
std::set<double> ratios_to_follow(const AnalysisGroup& group) {
  std::set<double> all;
  std::set<double> followed;
  for (const ReportedAnalysis* analysis : group.analyses) {
    const auto ratios = json::parse(analysis->options).at("ratios").get<std::vector<double>>();
    all.insert(ratios.begin(), ratios.end());
    if (ratios.size() == 1) followed.insert(ratios.front());
  }
  followed.insert(*std::min_element(all.begin(), all.end(), [](double a, double b) {
    return std::abs(a - 0.5) < std::abs(b - 0.5);
  }));
  return followed;
}

AnalysisChart forgetting_chart(const AnalysisGroup& group, double ratio) {
  AnalysisChart chart{"forgetting",
                      fmt::format("{}, ring part {:g} of its share", group.title, ratio),
                      group.analyses.front()->spec,
                      "future",
                      "later tasks",
                      "tasks learnt after it",
                      kTaskMeasures,
                      2};
  ByLine lines;
  for (const ReportedAnalysis* analysis : group.analyses) {
    const json options = json::parse(analysis->options);
    const auto ratios = options.at("ratios").get<std::vector<double>>();
    const auto at = std::find(ratios.begin(), ratios.end(), ratio);
    if (at == ratios.end()) continue;
    const auto& path = std::get<RingSizeCurve>(analysis->result)
                           .points.at(static_cast<std::size_t>(at - ratios.begin()))
                           .path;
    ByX& line = lines[options.at("future").get<std::string>()];
    for (std::size_t k = 0; k < path.size(); ++k) {
      put(line[static_cast<double>(k)], analysis->seed,
          {path[k].test_loss, path[k].test_accuracy, path[k].loss, path[k].accuracy});
    }
  }
  chart.lines = lines_of(lines);
  return chart;
}

AnalysisChart difficulty_chart(const AnalysisGroup& group) {
  AnalysisChart chart{"difficulty",
                      group.title,
                      group.analyses.front()->spec,
                      "tasks",
                      "task",
                      "task, each learnt alone",
                      {kAccuracy, kLoss, {{"training accuracy", "%"}, 2}},
                      1};
  ByLine lines;
  for (const ReportedAnalysis* analysis : group.analyses) {
    ByX& line = lines[json::parse(analysis->options).at("source").get<std::string>()];
    for (const LearntAlone& each : std::get<Difficulty>(analysis->result).tasks)
      put(line[each.task], analysis->seed, {each.accuracy, each.loss, each.train_accuracy});
  }
  chart.lines = lines_of(lines);
  return chart;
}

AnalysisChart zero_shot_chart(const AnalysisGroup& group) {
  const Spec& spec = group.analyses.front()->spec;
  AnalysisChart chart{
      "zero-shot", group.title, spec, "tasks", "task", "task, before it is learnt", {kAccuracy}, 1};
  chart.chance = 100.0 / classes_a_task(spec.benchmark);
  ByLine lines;
  for (const ReportedAnalysis* analysis : group.analyses) {
    const int after = json::parse(analysis->options).at("after").get<int>();
    for (const ZeroShotRow& row : std::get<ZeroShot>(analysis->result).rows) {
      for (std::size_t k = 0; k < row.accuracy.size(); ++k)
        put(lines[row.source][after + 1 + static_cast<int>(k)], analysis->seed, {row.accuracy[k]});
    }
  }
  chart.lines = lines_of(lines);
  return chart;
}

}  // namespace

std::vector<AnalysisChart> analysis_charts(const std::vector<ReportedAnalysis>& analyses) {
  std::vector<AnalysisChart> charts;
  const std::vector<AnalysisGroup> curves =
      groups_of(analyses, RingSizeOptions::kKind, {"future", "ratios"});
  for (const AnalysisGroup& group : curves) {
    charts.push_back(ring_size_chart(group));
    if (charts.back().lines.empty()) charts.pop_back();  // only single sizes
  }
  for (const AnalysisGroup& group : curves) {
    for (const double ratio : ratios_to_follow(group))
      charts.push_back(forgetting_chart(group, ratio));
  }
  for (const AnalysisGroup& group :
       groups_of(analyses, DifficultyOptions::kKind, {"source", "count"}))
    charts.push_back(difficulty_chart(group));
  for (const AnalysisGroup& group : groups_of(analyses, ZeroShotOptions::kKind, {"count"}))
    charts.push_back(zero_shot_chart(group));
  return charts;
}

SeedTable table_of(const AnalysisChart& chart, bool with_seeds) {
  SeedTable table{{chart.lines_are, chart.x}, chart.measures, {}};
  if (with_seeds) table.keys.emplace_back("seeds");
  for (const AnalysisLine& line : chart.lines) {
    for (const AnalysisPoint& point : line.points) {
      SeedRow row{{line.label, Cell::exact(point.x)}, point.values};
      if (with_seeds) row.keys.push_back(Cell::count(point.values.front().size()));
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace gps
