#include "gps/experiments/metrics.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace gps {

const Catalog& metric_catalog() {
  static const Catalog catalog = {
      {"average_accuracy", "(1/T) Σ_j R_Tj",
       "How well all tasks are known in the end: the number in the tables."},
      {"average_class_accuracy", "the same over class means",
       "Each task's accuracy averaged over its classes first, so that rare classes count as much "
       "as common ones."},
      {"learning_accuracy", "(1/T) Σ_j R_jj", "How well each task is learnt when it comes."},
      {"backward_transfer", "1/(T-1) Σ_{j<T} (R_Tj - R_jj)",
       "What later tasks did to earlier ones; negative is forgetting (Lopez-Paz and Ranzato "
       "2017)."},
      {"forward_transfer", "1/(T-1) Σ_{j>1} (R_{j-1,j} - b_j)",
       "How much better a task is before it is learnt than at initialisation (likewise)."},
      {"forgetting", "1/(T-1) Σ_{j<T} (max_{j<=i<T} R_ij - R_Tj)",
       "How far each task has fallen from its best; may be negative (Chaudhry et al. 2018)."},
      {"average_incremental_accuracy", "(1/T) Σ_i (1/i) Σ_{j<=i} R_ij",
       "Accuracy over the tasks seen so far, averaged over time."},
  };
  return catalog;
}

Metrics compute_metrics(const AccuracyMatrix& accuracy,
                        const std::vector<double>& at_initialisation) {
  assert(!accuracy.empty() && !accuracy.back().empty());
  const std::vector<double>& last = accuracy.back();
  const std::size_t tasks = last.size();
  assert(at_initialisation.size() == tasks);
  const auto t = static_cast<double>(tasks);
  Metrics metrics;
  metrics.average_accuracy = std::accumulate(last.begin(), last.end(), 0.0) / t;
  if (accuracy.size() != tasks) return metrics;  // learnt all at once: there is no "after task i"

  double learning = 0;
  double incremental = 0;
  for (std::size_t i = 0; i < tasks; ++i) {
    const auto seen = accuracy[i].begin() + static_cast<std::ptrdiff_t>(i) + 1;
    learning += accuracy[i][i];
    incremental += std::accumulate(accuracy[i].begin(), seen, 0.0) / static_cast<double>(i + 1);
  }
  metrics.learning_accuracy = learning / t;
  metrics.average_incremental_accuracy = incremental / t;
  if (tasks == 1) return metrics;

  double backward = 0;
  double forward = 0;
  double forgetting = 0;
  for (std::size_t j = 0; j + 1 < tasks; ++j) {
    double best = accuracy[j][j];
    for (std::size_t i = j; i + 1 < tasks; ++i) best = std::max(best, accuracy[i][j]);
    backward += last[j] - accuracy[j][j];
    forgetting += best - last[j];
    forward += accuracy[j][j + 1] - at_initialisation[j + 1];
  }
  metrics.backward_transfer = backward / (t - 1);
  metrics.forward_transfer = forward / (t - 1);
  metrics.forgetting = forgetting / (t - 1);
  return metrics;
}

}  // namespace gps
