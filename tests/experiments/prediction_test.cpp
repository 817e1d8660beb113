#include "gps/experiments/prediction.h"

#include <gtest/gtest.h>

namespace gps {
namespace prediction_test {

RunResult result_with(double accuracy, std::vector<std::optional<Expected>> expected) {
  RunResult result;
  result.metrics.set("average_accuracy", accuracy);
  for (const std::optional<Expected>& each : expected) {
    RecipeChoice choice;
    choice.task = static_cast<int>(result.plan.choices.size()) + 1;
    choice.expected = each;
    result.plan.choices.push_back(choice);
  }
  return result;
}

TEST(Prediction, IsTheFirstOfTheRunBesideWhatWasReached) {
  const auto prediction = prediction_of(
      result_with(0.75, {std::nullopt, Expected{0.7, 0.6, 0.8}, Expected{0.9, 0.9, 0.9}}));
  ASSERT_TRUE(prediction.has_value());
  EXPECT_EQ(prediction->expected.accuracy, 0.7);
  EXPECT_EQ(prediction->reached, 0.75);
}

TEST(Prediction, IsNothingIfNothingWasPredicted) {
  EXPECT_FALSE(prediction_of(result_with(0.75, {})).has_value());
  EXPECT_FALSE(prediction_of(result_with(0.75, {std::nullopt, std::nullopt})).has_value());
}

TEST(Prediction, HoldsFromOneEndOfItsIntervalToTheOther) {
  const Expected expected{0.7, 0.625, 0.75};
  for (const double reached : {0.625, 0.7, 0.75})
    EXPECT_TRUE((Prediction{expected, reached}).is_within()) << reached;
  for (const double reached : {0.624, 0.751})
    EXPECT_FALSE((Prediction{expected, reached}).is_within()) << reached;
}

TEST(Prediction, IsAboutTheAccuracyThatWasPlannedFor) {
  RunResult split = result_with(0.75, {Expected{0.5, 0.4, 0.6}});
  split.class_incremental.emplace();
  split.class_incremental->metrics.set("average_accuracy", 0.5);
  EXPECT_EQ(planned_for(split), 0.5);
  split.spec.planning.judged_by = JudgedBy::task;
  EXPECT_EQ(planned_for(split), 0.75);
}

}  // namespace prediction_test
}  // namespace gps
