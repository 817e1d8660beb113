// A memory has room for a limited number of tasks, but a state learns any number. If each task
// would get too few slots, neighbouring tasks are merged and share the memory as one group from
// then on.
#pragma once

#include "gps/memory/memory.h"

namespace gps {

// The fewest slots that are worth a share of their own: for replay, and for tests.
inline constexpr std::size_t kLeastShare = 5;
inline constexpr std::size_t kLeastTests = 2;

// Makes room for task `now`: merges neighbouring groups of tasks until the groups and the new task
// would have `least` slots each. A merged group has the number of its oldest task: group g_i stands
// for the tasks g_i to g_{i+1} - 1. Each merge joins the two neighbours that together stand for the
// fewest tasks, the oldest of equals. So with four groups or more, none stands for more than twice
// the mean number of tasks.
//
// The examples of the two groups, and their classes, take turns in one class-balanced part.
// Shrinking it from the end drops the last example of a class last. The other groups keep their
// examples and their order. If groups were merged, all examples get new ids.
void merge_tasks(Memory& memory, int now, std::size_t least);

}  // namespace gps
