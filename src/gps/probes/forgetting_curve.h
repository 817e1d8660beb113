// Loss or accuracy of a task while later tasks are learnt (Figure 4 (b) of the paper): in a
// finished run, or along a real or simulated future (ring_size_curve.h).
#pragma once

#include "gps/experiments/result.h"
#include "gps/probes/ring_size_curve.h"

namespace gps {

// Returns R_jj, R_{j+1,j}, …, R_Tj: the accuracy on task j after it was learnt and after each later
// task. Throws UsageError if the run does not have the task, learnt all tasks at once, or did not
// test the task each time.
std::vector<double> forgetting_curve(const RunResult& result, int task);

// Returns a measure of task j itself after 0, 1, … later tasks: loss, accuracy, test_loss or
// test_accuracy. Throws UsageError for other measures.
std::vector<double> forgetting_curve(const RingSizePoint& point, Measure measure);

}  // namespace gps
