// Which tasks the examples of a state stand for after tasks were merged (merge_tasks.h).
#pragma once

#include <vector>

#include "gps/deployment/learn_state.h"

namespace gps {

// The tasks first, …, last. Their examples have the number of the first one.
struct TaskGroup {
  int first = 0;
  int last = 0;
};

// Return the groups of the replayed and of the tested examples, ascending. A task may be in no
// group: if none of its examples is left, or if it was never tested.
std::vector<TaskGroup> replayed_groups(const LearnState& state);
std::vector<TaskGroup> tested_groups(const LearnState& state);

// Returns the classes of all tested tasks of a group, ascending. A task that was never tested can
// lie between two that were merged.
std::vector<Label> labels_of(const LearnState& state, const TaskGroup& group);

}  // namespace gps
