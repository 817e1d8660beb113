// The table at the end of `gpscl run`: policies side by side over the same seeds.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gps/experiments/result.h"
#include "gps/report/tables/table.h"

namespace gps {

// One line for each label, in the order in which they first appear: mean ± standard deviation over
// seeds, and the difference to the first one over the seeds that both have, with its 95 % interval.
// Percent. Streams that divide their classes have a column for the accuracy among all classes; all
// others are among those of the task. REQUIRES: some results, all of one benchmark.
std::string comparison_table(const std::vector<RunResult>& results);

// The same as a table, for labels of the caller's: labels[k] is that of results[k]. REQUIRES: as
// many as there are results.
Table compare(const std::vector<RunResult>& results, const std::vector<std::string>& labels,
              bool with_seeds);

// The same for programs: one object a label, {"label", "seeds": […], "average_accuracy": {"mean",
// "deviation"}, "difference": {"seeds": how many in common, "mean", "half_width"}, …}, in fractions
// as the results have them. What cannot be said is null.
nlohmann::json compare_as_json(const std::vector<RunResult>& results,
                               const std::vector<std::string>& labels);

}  // namespace gps
