#include "gps/experiments/metrics.h"

#include <gtest/gtest.h>

#include <set>

namespace gps {
namespace metrics_test {

// Task 1 is at its best after task 2, task 2 gains from task 3: no two metrics agree by accident.
const AccuracyMatrix kAccuracy = {{0.9, 0.2, 0.1},    //
                                  {0.95, 0.8, 0.3},   //
                                  {0.6, 0.85, 0.9}};  //
const std::vector<double> kAtInitialisation = {0.5, 0.12, 0.1};

TEST(Metrics, AverageAccuracyIsTheMeanOfTheLastRow) {
  const Metrics metrics = compute_metrics(kAccuracy, kAtInitialisation);
  EXPECT_NEAR(metrics.average_accuracy, (0.6 + 0.85 + 0.9) / 3, 1e-12);
}

TEST(Metrics, LearningAccuracyIsTheMeanOfTheDiagonal) {
  const Metrics metrics = compute_metrics(kAccuracy, kAtInitialisation);
  EXPECT_NEAR(metrics.learning_accuracy.value(), (0.9 + 0.8 + 0.9) / 3, 1e-12);
}

TEST(Metrics, BackwardTransferIsTheLastRowAgainstTheDiagonalWithoutTheLastTask) {
  const Metrics metrics = compute_metrics(kAccuracy, kAtInitialisation);
  EXPECT_NEAR(metrics.backward_transfer.value(), ((0.6 - 0.9) + (0.85 - 0.8)) / 2, 1e-12);
}

TEST(Metrics, ForwardTransferIsTheRowBeforeATaskAgainstInitialisationWithoutTheFirstTask) {
  const Metrics metrics = compute_metrics(kAccuracy, kAtInitialisation);
  EXPECT_NEAR(metrics.forward_transfer.value(), ((0.2 - 0.12) + (0.3 - 0.1)) / 2, 1e-12);
}

TEST(Metrics, ForgettingIsTheFallFromTheBestEarlierRow) {
  const Metrics metrics = compute_metrics(kAccuracy, kAtInitialisation);
  EXPECT_NEAR(metrics.forgetting.value(), ((0.95 - 0.6) + (0.8 - 0.85)) / 2, 1e-12);
}

TEST(Metrics, ForgettingIsNegativeWhereTasksEndAboveTheirEarlierBest) {
  const AccuracyMatrix rising = {{0.5, 0.1, 0.1}, {0.6, 0.5, 0.1}, {0.8, 0.7, 0.9}};
  const Metrics metrics = compute_metrics(rising, kAtInitialisation);
  EXPECT_NEAR(metrics.forgetting.value(), ((0.6 - 0.8) + (0.5 - 0.7)) / 2, 1e-12);
  EXPECT_NEAR(metrics.backward_transfer.value(), ((0.8 - 0.5) + (0.7 - 0.5)) / 2, 1e-12);
}

TEST(Metrics, ForgettingLooksAtNothingBeforeATaskWasLearnt) {
  // Task 2 happens to be known before it comes; that is no height it could have fallen from.
  const AccuracyMatrix lucky = {{0.9, 0.99, 0.1}, {0.9, 0.7, 0.1}, {0.9, 0.6, 0.9}};
  EXPECT_NEAR(compute_metrics(lucky, kAtInitialisation).forgetting.value(), (0.0 + 0.1) / 2, 1e-12);
}

TEST(Metrics, AverageIncrementalAccuracyIsTheMeanOverTimeOfTheTasksSeen) {
  const Metrics metrics = compute_metrics(kAccuracy, kAtInitialisation);
  const double expected = (0.9 + (0.95 + 0.8) / 2 + (0.6 + 0.85 + 0.9) / 3) / 3;
  EXPECT_NEAR(metrics.average_incremental_accuracy.value(), expected, 1e-12);
}

TEST(Metrics, ASingleTaskHasNoTransferAndNoForgetting) {
  const Metrics metrics = compute_metrics({{0.75}}, {0.1});
  EXPECT_DOUBLE_EQ(metrics.average_accuracy, 0.75);
  EXPECT_DOUBLE_EQ(metrics.learning_accuracy.value(), 0.75);
  EXPECT_DOUBLE_EQ(metrics.average_incremental_accuracy.value(), 0.75);
  EXPECT_FALSE(metrics.backward_transfer.has_value());
  EXPECT_FALSE(metrics.forward_transfer.has_value());
  EXPECT_FALSE(metrics.forgetting.has_value());
}

TEST(Metrics, TasksLearntAllAtOnceHaveAnAverageAccuracyOnly) {
  const Metrics metrics = compute_metrics({{0.9, 0.8, 0.7}}, kAtInitialisation);
  EXPECT_NEAR(metrics.average_accuracy, 0.8, 1e-12);
  EXPECT_FALSE(metrics.learning_accuracy.has_value());
  EXPECT_FALSE(metrics.backward_transfer.has_value());
  EXPECT_FALSE(metrics.forward_transfer.has_value());
  EXPECT_FALSE(metrics.forgetting.has_value());
  EXPECT_FALSE(metrics.average_incremental_accuracy.has_value());
}

TEST(Metrics, TheCatalogExplainsEachMetricOnce) {
  std::set<std::string> seen;
  for (const Entry& entry : metric_catalog()) {
    EXPECT_TRUE(seen.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.paper.empty()) << entry.name << " has no formula";
    EXPECT_FALSE(entry.summary.empty()) << entry.name << " has no meaning";
  }
}

}  // namespace metrics_test
}  // namespace gps
