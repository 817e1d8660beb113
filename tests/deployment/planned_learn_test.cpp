// A classifier that tries settings on new images before it learns them.
#include <gtest/gtest.h>

#include "deployment/weeks.h"

namespace gps {
namespace planned_learn_test {

using testing::tiny_options;
using testing::week;

LearnOptions options_with_rate(float rate) {
  LearnOptions options = tiny_options("er", "mixed");
  options.method.learner.learning_rate = rate;
  return options;
}

LearnState after_planned_weeks(const LearnOptions& options, int weeks, int workers = 1) {
  LearnState state(options);
  Executor executor(workers);
  for (int k = 1; k <= weeks; ++k) {
    NewTask task = week(k);
    task.planned = "lr,length";
    learn(state, task, executor);
  }
  return state;
}

TEST(PlannedLearn, LearnsWhereTheGivenLearningRateLearnsNothing) {
  const LearnOptions options = options_with_rate(1e-6f);
  LearnState given(options);
  Executor executor(1);
  for (int k = 1; k <= 2; ++k) learn(given, week(k), executor);
  LearnState planned = after_planned_weeks(options, 2);
  EXPECT_LT(testing::accuracy_among_all(given, 4), 0.5);
  EXPECT_GT(testing::accuracy_among_all(planned, 4), 0.8);
}

TEST(PlannedLearn, SaysWhatItTriedAndKeepsTheOptionsOfTheState) {
  LearnState state(options_with_rate(0.05f));
  Executor executor(1);
  NewTask task = week(1);
  task.planned = "lr,length";
  const LearnReport report = learn(state, task, executor);
  ASSERT_TRUE(report.plan);
  EXPECT_GE(report.plan->trials.size(), 6u);
  EXPECT_EQ(report.steps, static_cast<std::size_t>(report.plan->recipe.steps));
  EXPECT_EQ(state.options.method.learner.learning_rate, 0.05f);
  EXPECT_EQ(state.options.method.training.steps, 0);
}

TEST(PlannedLearn, PlansOnlyWhatItIsTold) {
  LearnState state(options_with_rate(0.05f));
  Executor executor(1);
  NewTask task = week(1);
  task.planned = "length";
  const LearnReport report = learn(state, task, executor);
  for (const RecipeTrial& trial : report.plan->trials) EXPECT_EQ(trial.recipe.learning_rate, 0.05);
}

TEST(PlannedLearn, HasTheSameBitsForAnyNumberOfWorkersAndAfterReloading) {
  const LearnOptions options = options_with_rate(0.05f);
  LearnState three = after_planned_weeks(options, 3);
  LearnState with_workers = after_planned_weeks(options, 3, /*workers=*/3);
  EXPECT_EQ(to_bytes(with_workers), to_bytes(three));
  LearnState two = after_planned_weeks(options, 2);
  LearnState reloaded = state_from(to_bytes(two), "");
  NewTask task = week(3);
  task.planned = "lr,length";
  Executor executor(1);
  learn(reloaded, task, executor);
  EXPECT_EQ(to_bytes(reloaded), to_bytes(three));
}

TEST(PlannedLearn, WorksUnderGps) {
  LearnState state = after_planned_weeks(tiny_options("er", "gps"), 2);
  EXPECT_GT(testing::accuracy_among_all(state, 4), 0.8);
}

TEST(PlannedLearn, IsRefusedForLearnersThatCannotBePlanned) {
  LearnState state(tiny_options("icarl"));
  Executor executor(1);
  NewTask task = week(1);
  task.planned = "lr";
  EXPECT_THROW(learn(state, task, executor), OptionError);
}

}  // namespace planned_learn_test
}  // namespace gps
