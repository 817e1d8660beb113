#include "gps/report/charts/curves.h"

namespace gps {
namespace {

// Returns a metric after i tasks, for i = first, …, T.
std::vector<Summary> curve(const Matrices& seeds, std::size_t first, const char* name) {
  std::vector<Summary> points;
  const Metric& metric = find(metric_catalog(), "metric", name);
  const AccuracyMatrix not_measured;
  const std::size_t tasks = seeds.empty() ? 0 : seeds.front()->front().size();
  for (const AccuracyMatrix* matrix : seeds) {
    if (matrix->size() != tasks) return {};
  }
  for (std::size_t i = first; i <= tasks; ++i) {
    const std::vector<double> at_initialisation(i);
    std::vector<double> values;
    for (const AccuracyMatrix* matrix : seeds) {
      const AccuracyMatrix so_far = first_tasks_of(*matrix, i);
      values.push_back(value_of(metric, {so_far, at_initialisation, not_measured}).value());
    }
    points.push_back(summarise(values));
  }
  return points;
}

}  // namespace

std::vector<Summary> accuracy_curve(const Matrices& seeds) {
  return curve(seeds, 1, "average_accuracy");
}

std::vector<Summary> forgetting_curve(const Matrices& seeds) {
  return curve(seeds, 2, "forgetting");
}

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

std::vector<std::optional<Summary>> share_curve(const PlanKnob& knob,
                                                std::span<const RunResult* const> seeds) {
  std::vector<std::vector<double>> shares;
  for (const RunResult* result : seeds) {
    for (const Decision& decision : result->decisions) {
      const auto task = static_cast<std::size_t>(decision.task);
      if (shares.size() < task) shares.resize(task);
      if (const auto share = share_of(knob, decision.plan, decision.quota))
        shares[task - 1].push_back(*share);
    }
  }
  std::vector<std::optional<Summary>> points;
  for (const std::vector<double>& values : shares)
    points.push_back(values.empty() ? std::nullopt : std::optional(summarise(values)));
  return points;
}

}  // namespace gps
