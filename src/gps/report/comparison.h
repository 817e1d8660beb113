// The table at the end of `gpscl run`: policies side by side over the same seeds.
#pragma once

#include <string>
#include <vector>

#include "gps/experiments/result.h"

namespace gps {

// One line for each label, in the order in which they first appear: mean ± standard deviation over
// seeds, and the difference to the first one over the seeds that both have, with its 95 % interval.
// Percent. Streams that divide their classes have a column for the accuracy among all classes; all
// others are among those of the task. REQUIRES: some results, all of one benchmark.
std::string comparison_table(const std::vector<RunResult>& results);

}  // namespace gps
