// How a task fares while later ones are learnt (Figure 4 (b) of the paper): in a run that is done,
// or along a real or pretended future (ring_size_curve.h).
#pragma once

#include "gps/experiments/result.h"
#include "gps/probes/ring_size_curve.h"

namespace gps {

// R_jj, R_{j+1,j}, …, R_Tj: accuracy on task j when it has been learnt and after each later task.
// Throws UsageError for a task that the run does not have, and for tasks learnt all at once.
std::vector<double> forgetting_curve(const RunResult& result, int task);

// The path of one point after 0, 1, … later tasks, by a measure of task j itself: loss, accuracy,
// test_loss or test_accuracy. Throws UsageError for others.
std::vector<double> forgetting_curve(const RingSizePoint& point, Measure measure);

}  // namespace gps
