// The mix of the two base policies (section 4.2) with given ring sizes. Ratio 0 is task-balanced
// random selection; ratio 1 is task- and class-balanced selection. With the base policies of the
// curriculum, easy examples come first. GPS is the same, but finds the ring sizes itself.
#pragma once

#include "gps/policies/parts/rebuilding.h"

namespace gps {

// `ratios` are a_j/(|M|/j), each in [0, 1]: one for all tasks, or one for each task. Tasks beyond
// the last ratio use the last one.
std::unique_ptr<MemoryPolicy> make_mixed(std::vector<double> ratios, InTask in_task,
                                         const BaseOptions& base = {});

// Returns the ring size for a ratio: the nearest whole number of examples.
std::size_t ring_size_for(double ratio, std::size_t quota);

}  // namespace gps
