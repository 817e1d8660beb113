// Curves along the stream: the accuracy matrices of one spec's seeds, summarised after each task.
#pragma once

#include <span>

#include "gps/core/statistics.h"
#include "gps/experiments/result.h"

namespace gps {

using Matrices = std::vector<const AccuracyMatrix*>;

// (1/i) Σ_{j<=i} R_ij for i = 1, …, T, over seeds. Empty if a matrix has one row for several tasks
// (all learnt at once).
std::vector<Summary> accuracy_curve(const Matrices& seeds);

// 1/(i-1) Σ_{j<i} (max_{j<=k<i} R_kj - R_ij) for i = 2, …, T, over seeds: the metric `forgetting`
// as if the stream had ended there. Empty in the same case.
std::vector<Summary> forgetting_curve(const Matrices& seeds);

// Returns the mean of each entry.
AccuracyMatrix mean_matrix(const Matrices& seeds);

// Returns the value of a knob of each task's plan as a share of the task's quota, over the seeds
// that have one. Empty if nothing was decided.
std::vector<std::optional<Summary>> share_curve(const PlanKnob& knob,
                                                std::span<const RunResult* const> seeds);

}  // namespace gps
