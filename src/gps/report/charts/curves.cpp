#include "gps/report/charts/curves.h"

#include <algorithm>

namespace gps {
namespace {

// Returns a metric after i tasks, for i = first, …, T, where all seeds have it.
Curve curve(const Matrices& seeds, std::size_t first, const char* name) {
  Curve points;
  const Metric& metric = find(metric_catalog(), "metric", name);
  const AccuracyMatrix not_measured;
  const std::vector<double> not_known;
  const std::size_t tasks = seeds.empty() ? 0 : seeds.front()->back().size();
  for (const AccuracyMatrix* matrix : seeds) {
    if (matrix->size() != tasks) return {};
  }
  for (std::size_t i = first; i <= tasks; ++i) {
    std::vector<double> values;
    for (const AccuracyMatrix* matrix : seeds) {
      const AccuracyMatrix so_far = first_tasks_of(*matrix, i);
      const auto value = value_of(metric, {so_far, not_known, not_measured});
      if (value) values.push_back(*value);
    }
    points.push_back(values.size() == seeds.size() ? std::optional(summarise(values))
                                                   : std::nullopt);
  }
  const bool is_empty = std::none_of(points.begin(), points.end(),
                                     [](const auto& point) { return point.has_value(); });
  return is_empty ? Curve() : points;
}

}  // namespace

Curve accuracy_curve(const Matrices& seeds) { return curve(seeds, 1, "average_accuracy"); }

Curve forgetting_curve(const Matrices& seeds) { return curve(seeds, 2, "forgetting"); }

AccuracyMatrix mean_matrix(const Matrices& seeds) {
  AccuracyMatrix mean = *seeds.front();
  for (std::size_t i = 0; i < mean.size(); ++i) {
    for (std::size_t j = 0; j < mean[i].size(); ++j) {
      double total = 0;
      for (const AccuracyMatrix* matrix : seeds) total += (*matrix)[i][j];
      mean[i][j] = total / static_cast<double>(seeds.size());
    }
  }
  return mean;
}

Curve share_curve(const PlanKnob& knob, std::span<const RunResult* const> seeds) {
  std::vector<std::vector<double>> shares;
  for (const RunResult* result : seeds) {
    for (const Decision& decision : result->decisions) {
      const auto task = static_cast<std::size_t>(decision.task);
      if (shares.size() < task) shares.resize(task);
      if (const auto share = share_of(knob, decision.plan, decision.quota))
        shares[task - 1].push_back(*share);
    }
  }
  Curve points;
  for (const std::vector<double>& values : shares)
    points.push_back(values.empty() ? std::nullopt : std::optional(summarise(values)));
  return points;
}

}  // namespace gps
