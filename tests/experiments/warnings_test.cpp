#include "gps/experiments/warnings.h"

#include <gmock/gmock.h>

#include "experiments/tiny_run.h"

namespace gps {
namespace warnings_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::tiny_dataset;
using testing::tiny_run;
using testing::tiny_spec;
using testing::tiny_spec_without_memory;

// Steps so large that every hidden unit ends up dead, and yet every number finite.
Spec too_fast(Spec spec) {
  spec.learner.learning_rate = 30;
  return spec;
}

TEST(Warnings, ANetworkThatCollapsedAtAFiniteLossIsNoticed) {
  const RunResult result = tiny_run(too_fast(tiny_spec("reservoir")));
  ASSERT_NEAR(result.metrics.average_accuracy(), 0.25, 0.01) << "it was to collapse";
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_THAT(result.warnings[0], HasSubstr("3 of 3 tasks not learnt: after training on task 1"));
  EXPECT_THAT(result.warnings[0], HasSubstr("25.0 %"));
  EXPECT_THAT(result.warnings[0], HasSubstr("try a lower `lr`"));
}

TEST(Warnings, ANetworkThatCollapsedWhileLearningAllAtOnceIsNoticed) {
  EXPECT_EQ(tiny_run(too_fast(tiny_spec_without_memory("joint"))).warnings.size(), 1u);
}

TEST(Warnings, ANetworkThatLearnsGetsNone) {
  for (const Spec& spec : {tiny_spec("reservoir"), tiny_spec("gps"),
                           tiny_spec_without_memory("sgd"), tiny_spec_without_memory("joint")}) {
    const RunResult result = tiny_run(spec);
    EXPECT_THAT(result.warnings, IsEmpty());
    EXPECT_FALSE(to_json(result).contains("warnings")) << "other results stay as they were";
  }
}

TEST(Warnings, SurviveTheWayThroughJson) {
  RunResult result = tiny_run(tiny_spec("reservoir"));
  result.warnings = {"one", "two"};
  EXPECT_THAT(result_from_json(to_json(result)).warnings, ElementsAre("one", "two"));
}

TEST(Warnings, CountTheTasksNotLearntAndNameTheFirst) {
  RunResult result;
  result.accuracy = {{0.9, 0.1, 0.1}, {0.9, 0.1, 0.1}, {0.9, 0.1, 0.105}};
  const std::vector<GuessedTest> tests(3, {1000, 0.1});
  const std::vector<std::string> warnings = warnings_of(result, tests);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("2 of 3 tasks not learnt: after training on task 2"));
}

TEST(Warnings, ATaskThatWasLearntAndForgottenIsNoneOfThem) {
  RunResult result;
  result.accuracy = {{0.9, 0.1}, {0.1, 0.9}};
  EXPECT_THAT(warnings_of(result, std::vector<GuessedTest>(2, {1000, 0.1})), IsEmpty());
}

TEST(AtChance, IsWhatGuessingReachesOnceInAHundredTimes) {
  // Of 80 images with a quarter each, guessing has 29 right with 1.66 %, 30 with 0.89 %.
  EXPECT_TRUE(is_at_chance(29.0 / 80, {80, 0.25}));
  EXPECT_FALSE(is_at_chance(30.0 / 80, {80, 0.25}));
  EXPECT_TRUE(is_at_chance(0, {80, 0.25})) << "worse than guessing is no better";
}

TEST(AtChance, IsNotSaidOfTestsThatAreTooSmallToTell) {
  EXPECT_FALSE(is_at_chance(1, {4, 0.5}));
  EXPECT_FALSE(is_at_chance(0.5, {4, 0.5}));
  EXPECT_FALSE(is_at_chance(0.5, {24, 0.5})) << "guessing has 18 of 24 right with 1.1 %";
  EXPECT_TRUE(is_at_chance(0.5, {28, 0.5})) << "but 21 of 28 with 0.6 %";
  EXPECT_FALSE(is_at_chance(1, {100, 1})) << "one label only: there is nothing to learn";
}

TEST(Guessed, IsTheShareOfTheMostFrequentLabel) {
  const GuessedTest equal = guessed(tiny_dataset(4, 20));
  EXPECT_EQ(equal.images, 80u);
  EXPECT_EQ(equal.guess, 0.25);
  EXPECT_EQ(guessed(tiny_dataset({10, 60, 30})).guess, 0.6);
  EXPECT_TRUE(is_at_chance(0.6, guessed(tiny_dataset({10, 60, 30}))))
      << "always the same answer, which is above a third";
}

}  // namespace warnings_test
}  // namespace gps
