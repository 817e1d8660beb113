// A memory has room for so many tasks; a state lives on. Where tasks would get too few slots each,
// neighbours are taken together, and share as one from then on.
#pragma once

#include "gps/memory/memory.h"

namespace gps {

// Fewer than this many slots a task are not worth a share of their own.
inline constexpr std::size_t kLeastShare = 5;

// Gives the two neighbouring tasks with the fewest examples one number, the older one's, until one
// more task would have at least kLeastShare slots. Their examples are interleaved, so that taking
// from the end takes from both alike; all others stay where they are.
void merge_tasks(Memory& memory);

}  // namespace gps
