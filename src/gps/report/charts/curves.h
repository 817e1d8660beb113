// Curves along the stream: the accuracy matrices of one spec's seeds, summarised after each task.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "gps/core/statistics.h"
#include "gps/experiments/result.h"

namespace gps {

using Matrices = std::vector<const AccuracyMatrix*>;

// A point for each task; nothing where there is no value.
using Curve = std::vector<std::optional<Summary>>;

// (1/i) Σ_{j<=i} R_ij for i = 1, …, T, over seeds; nothing where tasks were not tested after task
// i. Empty if a matrix has one row for several tasks (all learnt at once).
Curve accuracy_curve(const Matrices& seeds);

// 1/(i-1) Σ_{j<i} (max_{j<=k<i} R_kj - R_ij) for i = 2, …, T, over seeds: the metric `forgetting`
// as if the stream had ended there. Empty in the same case, and if no point has a value.
Curve forgetting_curve(const Matrices& seeds);

// Returns the mean of each entry. REQUIRES: all have the same shape.
AccuracyMatrix mean_matrix(const Matrices& seeds);

// Returns the value of a knob of each task's plan as a share of the task's quota, over the seeds
// that have one. Empty if nothing was decided.
Curve share_curve(const PlanKnob& knob, std::span<const RunResult* const> seeds);

}  // namespace gps
