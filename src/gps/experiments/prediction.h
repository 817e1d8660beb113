// What the plan of a run predicted, beside what the run reached.
#pragma once

#include <optional>

#include "gps/experiments/result.h"

namespace gps {

// Returns the accuracy after the last task that a plan is about: the average accuracy; if tasks
// have classes of their own, among all classes or those of the task, whichever was planned for.
double planned_for(const RunResult& result);

struct Prediction {
  Expected expected;
  double reached = 0;

  bool is_within() const { return expected.low <= reached && reached <= expected.high; }
};

// Returns the first prediction of the run, which was made with the least knowledge. Nothing if
// nothing was predicted.
std::optional<Prediction> prediction_of(const RunResult& result);

}  // namespace gps
