// The choice of gps:steady: which share of each task's memory is class-balanced, decided by the
// evidence of all tasks so far instead of one noisy search a task.
//
// After each task, the same three shares are simulated: none, half and all of the quota. What a
// share gained over `all` in task i is one observation of its effect, with an error of about a
// point. The effect is estimated by the posterior mean under a normal prior,
//   E = (Σ gains + kPriorWeight · kPriorGain) / (n + kPriorWeight),
// and the share with the largest one is taken. The prior says that other shares are worse than
// `all`, which was the best or within the noise of the best wherever it was measured. So a few
// noisy simulations do not move the choice away from it, and a lasting difference does.
#pragma once

#include <array>
#include <span>

#include "gps/policies/policy.h"

namespace gps {

inline constexpr std::array kSteadyShares = {0.0, 0.5, 1.0};

// The variance of one observed gain divided by that of the effects: (1 point / half a point)².
inline constexpr double kPriorWeight = 4;
inline constexpr double kPriorGain = -0.005;

// Returns the plans that are simulated for a task with this quota, one for each share.
std::vector<Plan> steady_plans(std::size_t quota);

// Returns the best share by the evidence of these decisions, whose trials are those of
// steady_plans(). Decisions without such trials say nothing. If there is no evidence: all.
double steady_share(std::span<const Decision> decisions);

}  // namespace gps
