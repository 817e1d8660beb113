// The mix of the two base policies (section 4.2) with ring sizes given by hand: ratio 0 is
// task-balanced random choice, ratio 1 is task- and class-balanced choice, from easy examples first
// where the base policies are those of the curriculum. GPS is the same with
// ring sizes that it finds.
#pragma once

#include "gps/policies/rebuilding.h"

namespace gps {

// `ratios` are a_j/(|M|/j), each in [0, 1]: one for all tasks, or one a task (the last one then
// goes on).
std::unique_ptr<MemoryPolicy> make_mixed(std::vector<double> ratios, InTask in_task,
                                         const BaseOptions& base = {});

// The ring size for a ratio: the nearest whole number of examples.
std::size_t ring_size_for(double ratio, std::size_t quota);

}  // namespace gps
