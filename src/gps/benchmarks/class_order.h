// Which classes come first in a stream that divides them among its tasks.
#pragma once

#include <string>
#include <vector>

#include "gps/core/rng.h"
#include "gps/data/dataset.h"

namespace gps {

// All labels below `classes`, in the order that `text` asks for: "natural" (0, 1, 2, …), "random"
// (drawn from `rng`), or a list of all of them ("3,1,0,2"). Throws UsageError for anything else.
std::vector<Label> class_order(const std::string& text, int classes, Rng rng);

}  // namespace gps
