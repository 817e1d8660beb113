// A memory has room for a limited number of tasks, but a state learns any number. If each task
// would get too few slots, neighbouring tasks are merged and share the memory as one group from
// then on.
#pragma once

#include "gps/memory/memory.h"

namespace gps {

// Fewer slots than these are not worth a share of their own: to replay, and to test on.
inline constexpr std::size_t kLeastShare = 5;
inline constexpr std::size_t kLeastTests = 2;

// Makes room for task `now`: gives neighbouring groups one number, the older one's, until the
// groups and the new task would have `least` slots each. Group g_i stands for the tasks g_i to
// g_{i+1} - 1; those two are merged that stand for the fewest tasks together, the oldest of equals,
// so that none stands for more than twice as many as the mean where there are four groups or more.
// Their examples take turns, and the classes among them, and become one class-balanced part: taking
// from the end takes a class's last example last. All others stay where they are.
void merge_tasks(Memory& memory, int now, std::size_t least);

}  // namespace gps
