#include "gps/experiments/leading.h"

namespace gps {

bool is_led_by_all_classes(const RunResult& result) { return result.class_incremental.has_value(); }

const AccuracyMatrix& leading_accuracy(const RunResult& result) {
  return result.class_incremental ? result.class_incremental->accuracy : result.accuracy;
}

const Metrics& leading_metrics(const RunResult& result) {
  return result.class_incremental ? result.class_incremental->metrics : result.metrics;
}

}  // namespace gps
