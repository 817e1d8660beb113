#include "gps/deployment/task_groups.h"

#include <set>

namespace gps {
namespace {

std::vector<TaskGroup> groups_of(const Memory& memory, int tasks) {
  std::set<int> firsts;
  for (const Example& example : memory.examples()) firsts.insert(example.task);
  std::vector<TaskGroup> groups;
  for (const int first : firsts) {
    if (!groups.empty()) groups.back().last = first - 1;
    groups.push_back({first, tasks});
  }
  return groups;
}

}  // namespace

std::vector<TaskGroup> replayed_groups(const LearnState& state) {
  std::vector<TaskGroup> groups = groups_of(state.memory, static_cast<int>(state.tasks.size()));
  // Tasks are not merged for policies that remember tasks by their numbers. A memory of one slot
  // keeps its example, so it has nothing of later tasks.
  if (has_lasting_state(state.options.method.policy) || state.memory.capacity() == 1) {
    for (TaskGroup& group : groups) group.last = group.first;
  }
  return groups;
}

std::vector<TaskGroup> tested_groups(const LearnState& state) {
  std::vector<TaskGroup> groups = groups_of(state.tests, static_cast<int>(state.tasks.size()));
  // A task that was never tested is not part of the group before it.
  for (TaskGroup& group : groups) {
    while (group.last > group.first &&
           state.tasks[static_cast<std::size_t>(group.last) - 1].tested == 0)
      --group.last;
  }
  return groups;
}

std::vector<Label> labels_of(const LearnState& state, const TaskGroup& group) {
  std::set<Label> labels;
  for (int task = group.first; task <= group.last; ++task) {
    const TaskRecord& record = state.tasks[static_cast<std::size_t>(task) - 1];
    if (record.tested > 0) labels.insert(record.labels.begin(), record.labels.end());
  }
  return {labels.begin(), labels.end()};
}

}  // namespace gps
