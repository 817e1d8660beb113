// Which tasks the examples of a state stand for, once neighbours share as one (merge_tasks.h).
#pragma once

#include <vector>

#include "gps/deployment/learn_state.h"

namespace gps {

// The tasks first, ..., last, whose examples have the number of the first.
struct TaskGroup {
  int first = 0;
  int last = 0;
};

// Those that are replayed, and those that are tested; ascending. A task of which nothing is left is
// in none.
std::vector<TaskGroup> replayed_groups(const LearnState& state);
std::vector<TaskGroup> tested_groups(const LearnState& state);

// The classes of all tasks of a group, ascending.
std::vector<Label> labels_of(const LearnState& state, const TaskGroup& group);

}  // namespace gps
