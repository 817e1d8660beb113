// How near the switching points of a simulation are to the oracle's (section 6.3 of the paper): the
// L1 distance between the ratios a_j/(|M|/j) that two runs found, over the tasks that a search
// follows: 1, …, T-1.
#pragma once

#include "gps/experiments/result.h"

namespace gps {

struct RatioDistance {
  std::vector<double> reference;  // ratio of each task, in [0, 1]
  std::vector<double> found;
  double distance = 0;  // Σ_j |found_j - reference_j|
};

// Returns a_j/(|M|/j): the ring size as a share of the task's quota, whatever else a plan decides.
// 0 for a task without a quota.
double ring_ratio(const Decision& decision);

// Throws UsageError for runs that differ in seed, benchmark or memory, or have no switching points.
RatioDistance ratio_distance(const RunResult& reference, const RunResult& found);

// The same for runs whose seeds may differ, to see which distances occur by chance.
RatioDistance ratio_distance_across_seeds(const RunResult& reference, const RunResult& found);

}  // namespace gps
