// The order in which a stream divides the classes among its tasks.
#pragma once

#include <string>
#include <vector>

#include "gps/core/rng.h"
#include "gps/data/dataset.h"

namespace gps {

// Returns all labels below `classes` in the order that `text` names: "natural" (0, 1, 2, …),
// "random" (drawn from `rng`), or a list of all labels ("3,1,0,2"). Throws UsageError for anything
// else.
std::vector<Label> class_order(const std::string& text, int classes, Rng rng);

}  // namespace gps
