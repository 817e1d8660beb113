#include "gps/report/charts/curves.h"

namespace gps {
namespace {

// A metric of the upper left corner of i x i, for i = first, …, T.
template <typename Metric>
std::vector<Summary> curve(const Matrices& seeds, std::size_t first, const Metric& metric) {
  std::vector<Summary> points;
  const std::size_t tasks = seeds.empty() ? 0 : seeds.front()->front().size();
  for (const AccuracyMatrix* matrix : seeds) {
    if (matrix->size() != tasks) return {};
  }
  for (std::size_t i = first; i <= tasks; ++i) {
    std::vector<double> values;
    for (const AccuracyMatrix* matrix : seeds) {
      AccuracyMatrix corner;
      for (std::size_t row = 0; row < i; ++row) {
        const std::vector<double>& whole = (*matrix)[row];
        corner.emplace_back(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(i));
      }
      values.push_back(metric(compute_metrics(corner, std::vector<double>(i))));
    }
    points.push_back(summarise(values));
  }
  return points;
}

}  // namespace

std::vector<Summary> accuracy_curve(const Matrices& seeds) {
  return curve(seeds, 1, [](const Metrics& metrics) { return metrics.average_accuracy; });
}

std::vector<Summary> forgetting_curve(const Matrices& seeds) {
  return curve(seeds, 2, [](const Metrics& metrics) { return metrics.forgetting.value(); });
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
