#include "gps/deployment/task_groups.h"

#include <gmock/gmock.h>

#include "deployment/weeks.h"

namespace gps {
namespace task_groups_test {

using ::testing::ElementsAre;
using ::testing::Pair;
using testing::tiny_options;

std::vector<std::pair<int, int>> ends_of(const std::vector<TaskGroup>& groups) {
  std::vector<std::pair<int, int>> ends;
  for (const TaskGroup& group : groups) ends.emplace_back(group.first, group.last);
  return ends;
}

// A state of three tasks, of which the second was never tested, and with tests of these tasks.
LearnState tested_in(const std::vector<int>& tasks) {
  LearnState state(tiny_options());
  state.classes = {"a", "b", "c", "d", "e"};
  state.tasks = {{.name = "one", .labels = {0, 1}, .tested = 4},
                 {.name = "two", .labels = {2}},
                 {.name = "three", .labels = {3, 4}, .tested = 4}};
  const std::vector<std::uint8_t> blank(state.options.shape.bytes());
  for (const int task : tasks) state.tests.add({.image = store_image(blank), .task = task});
  return state;
}

TEST(TaskGroups, LeaveOutATaskThatWasNeverTested) {
  const LearnState apart = tested_in({1, 3});
  EXPECT_THAT(ends_of(tested_groups(apart)), ElementsAre(Pair(1, 1), Pair(3, 3)));
  EXPECT_THAT(labels_of(apart, {1, 1}), ElementsAre(0, 1));
}

TEST(TaskGroups, HaveNoClassesOfAnUntestedTaskBetweenTwoThatWereMerged) {
  const LearnState merged = tested_in({1, 1});
  EXPECT_THAT(ends_of(tested_groups(merged)), ElementsAre(Pair(1, 3)));
  EXPECT_THAT(labels_of(merged, {1, 3}), ElementsAre(0, 1, 3, 4));
}

TEST(TaskGroups, OfASingleSlotAreItsTaskAlone) {
  LearnState state(tiny_options("er", "mixed", /*memory=*/1));
  ASSERT_EQ(state.memory.capacity(), 1u);
  Executor executor(1);
  for (int k = 1; k <= 3; ++k) learn(state, testing::week(k), executor);
  ASSERT_EQ(state.memory.size(), 1u);
  const int task = state.memory[0].task;
  EXPECT_THAT(ends_of(replayed_groups(state)), ElementsAre(Pair(task, task)));
}

}  // namespace task_groups_test
}  // namespace gps
