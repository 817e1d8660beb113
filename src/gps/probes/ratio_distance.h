// How near the switching points of a simulation are to the oracle's (section 6.3 of the paper): the
// L1 distance of the ratios a_j/(|M|/j) that two runs have found, over the tasks after which there
// is a search: 1, …, T-1.
#pragma once

#include "gps/experiments/result.h"

namespace gps {

struct RatioDistance {
  std::vector<double> reference;  // ratio of each task, in [0, 1]
  std::vector<double> found;
  double distance = 0;  // Σ_j |found_j - reference_j|
};

// REQUIRES nothing: throws UsageError for runs that differ in seed, benchmark or memory, or have
// found no switching points.
RatioDistance ratio_distance(const RunResult& reference, const RunResult& found);

// The same of runs whose seeds may differ: what is near by chance.
RatioDistance ratio_distance_across_seeds(const RunResult& reference, const RunResult& found);

}  // namespace gps
