#include <gtest/gtest.h>

#include "gps/simulation/gps_policy.h"

namespace gps {
namespace simulated_tasks_test {

SimulationOptions of(int tasks, int window = 0) {
  SimulationOptions options;
  options.tasks = tasks;
  options.window = window;
  return options;
}

TEST(SimulatedTasks, AreAllThatAreLeftUpToTenTasks) {
  for (int i = 1; i <= 10; ++i) EXPECT_EQ(simulated_tasks(i, of(10)), 10 - i);
  EXPECT_EQ(simulated_tasks(1, of(2)), 1);
}

TEST(SimulatedTasks, AreTenInALongStream) {
  for (int i = 1; i <= 30; ++i) EXPECT_EQ(simulated_tasks(i, of(40)), 10);
  for (int i = 30; i <= 40; ++i) EXPECT_EQ(simulated_tasks(i, of(40)), 40 - i);
}

TEST(SimulatedTasks, AreTheWindowWhereOneIsGiven) {
  EXPECT_EQ(simulated_tasks(1, of(10, 3)), 3);
  EXPECT_EQ(simulated_tasks(9, of(10, 3)), 1);
  EXPECT_EQ(simulated_tasks(1, of(40, 25)), 25);
}

TEST(SimulatedTasks, AreAWholeWindowWhereNobodyKnowsHowManyTasksThereWillBe) {
  for (const int i : {1, 7, 1000}) {
    EXPECT_EQ(simulated_tasks(i, of(0)), 10);
    EXPECT_EQ(simulated_tasks(i, of(0, 4)), 4);
  }
}

TEST(SimulatedTasks, AreNoneAfterTheLastTask) {
  for (const int tasks : {1, 10, 40}) {
    EXPECT_EQ(simulated_tasks(tasks, of(tasks)), 0);
    EXPECT_EQ(simulated_tasks(tasks, of(tasks, 5)), 0);
  }
}

}  // namespace simulated_tasks_test
}  // namespace gps
