#include "gps/experiments/prediction.h"

namespace gps {

double planned_for(const RunResult& result) {
  const bool is_among_all =
      result.class_incremental && result.spec.planning.judged_by == JudgedBy::classes;
  const Metrics& metrics = is_among_all ? result.class_incremental->metrics : result.metrics;
  return metrics.average_accuracy();
}

std::optional<Prediction> prediction_of(const RunResult& result) {
  for (const RecipeChoice& choice : result.plan.choices) {
    if (choice.expected) return Prediction{*choice.expected, planned_for(result)};
  }
  return std::nullopt;
}

}  // namespace gps
