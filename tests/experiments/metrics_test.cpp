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
  EXPECT_NEAR(metrics.average_accuracy(), (0.6 + 0.85 + 0.9) / 3, 1e-12);
}

TEST(Metrics, LearningAccuracyIsTheMeanOfTheDiagonal) {
  const Metrics metrics = compute_metrics(kAccuracy, kAtInitialisation);
  EXPECT_NEAR(metrics["learning_accuracy"].value(), (0.9 + 0.8 + 0.9) / 3, 1e-12);
}

TEST(Metrics, BackwardTransferIsTheLastRowAgainstTheDiagonalWithoutTheLastTask) {
  const Metrics metrics = compute_metrics(kAccuracy, kAtInitialisation);
  EXPECT_NEAR(metrics["backward_transfer"].value(), ((0.6 - 0.9) + (0.85 - 0.8)) / 2, 1e-12);
}

TEST(Metrics, ForwardTransferIsTheRowBeforeATaskAgainstInitialisationWithoutTheFirstTask) {
  const Metrics metrics = compute_metrics(kAccuracy, kAtInitialisation);
  EXPECT_NEAR(metrics["forward_transfer"].value(), ((0.2 - 0.12) + (0.3 - 0.1)) / 2, 1e-12);
}

TEST(Metrics, ForgettingIsTheFallFromTheBestEarlierRow) {
  const Metrics metrics = compute_metrics(kAccuracy, kAtInitialisation);
  EXPECT_NEAR(metrics["forgetting"].value(), ((0.95 - 0.6) + (0.8 - 0.85)) / 2, 1e-12);
}

TEST(Metrics, ForgettingIsNegativeWhereTasksEndAboveTheirEarlierBest) {
  const AccuracyMatrix rising = {{0.5, 0.1, 0.1}, {0.6, 0.5, 0.1}, {0.8, 0.7, 0.9}};
  const Metrics metrics = compute_metrics(rising, kAtInitialisation);
  EXPECT_NEAR(metrics["forgetting"].value(), ((0.6 - 0.8) + (0.5 - 0.7)) / 2, 1e-12);
  EXPECT_NEAR(metrics["backward_transfer"].value(), ((0.8 - 0.5) + (0.7 - 0.5)) / 2, 1e-12);
}

TEST(Metrics, ForgettingLooksAtNothingBeforeATaskWasLearnt) {
  // Task 2 happens to be known before it comes; that is no height it could have fallen from.
  const AccuracyMatrix lucky = {{0.9, 0.99, 0.1}, {0.9, 0.7, 0.1}, {0.9, 0.6, 0.9}};
  EXPECT_NEAR(compute_metrics(lucky, kAtInitialisation)["forgetting"].value(), (0.0 + 0.1) / 2,
              1e-12);
}

TEST(Metrics, AverageIncrementalAccuracyIsTheMeanOverTimeOfTheTasksSeen) {
  const Metrics metrics = compute_metrics(kAccuracy, kAtInitialisation);
  const double expected = (0.9 + (0.95 + 0.8) / 2 + (0.6 + 0.85 + 0.9) / 3) / 3;
  EXPECT_NEAR(metrics["average_incremental_accuracy"].value(), expected, 1e-12);
}

TEST(Metrics, ASingleTaskHasNoTransferAndNoForgetting) {
  const Metrics metrics = compute_metrics({{0.75}}, {0.1});
  EXPECT_DOUBLE_EQ(metrics.average_accuracy(), 0.75);
  EXPECT_DOUBLE_EQ(metrics["learning_accuracy"].value(), 0.75);
  EXPECT_DOUBLE_EQ(metrics["average_incremental_accuracy"].value(), 0.75);
  EXPECT_FALSE(metrics["backward_transfer"].has_value());
  EXPECT_FALSE(metrics["forward_transfer"].has_value());
  EXPECT_FALSE(metrics["forgetting"].has_value());
}

TEST(Metrics, TasksLearntAllAtOnceHaveAnAverageAccuracyOnly) {
  const Metrics metrics = compute_metrics({{0.9, 0.8, 0.7}}, kAtInitialisation);
  EXPECT_NEAR(metrics.average_accuracy(), 0.8, 1e-12);
  EXPECT_FALSE(metrics["learning_accuracy"].has_value());
  EXPECT_FALSE(metrics["backward_transfer"].has_value());
  EXPECT_FALSE(metrics["forward_transfer"].has_value());
  EXPECT_FALSE(metrics["forgetting"].has_value());
  EXPECT_FALSE(metrics["average_incremental_accuracy"].has_value());
}

TEST(Metrics, AverageClassAccuracyIsThatOfTheClassesAndNotThereWithoutThem) {
  const AccuracyMatrix classes = {{0.5, 0.1, 0.1}, {0.4, 0.5, 0.1}, {0.3, 0.4, 0.5}};
  EXPECT_NEAR(
      compute_metrics({kAccuracy, kAtInitialisation, classes})["average_class_accuracy"].value(),
      (0.3 + 0.4 + 0.5) / 3, 1e-12);
  EXPECT_FALSE(compute_metrics(kAccuracy, kAtInitialisation)["average_class_accuracy"].has_value());
}

TEST(Metrics, OfAMatrixThatIsNoneHaveNoValue) {
  for (const AccuracyMatrix& matrix : {AccuracyMatrix{}, AccuracyMatrix{{}}, AccuracyMatrix{{0.5}},
                                       AccuracyMatrix{{0.5, 0.5, 0.5}, {0.5}}}) {
    const Metrics metrics = compute_metrics({matrix, kAtInitialisation, matrix});
    for (const Metric& metric : metric_catalog())
      EXPECT_FALSE(metrics[metric.name].has_value()) << metric.name;
  }
}

std::set<std::string> metrics_of(const AccuracyMatrix& accuracy,
                                 const std::vector<double>& at_initialisation) {
  const Metrics metrics = compute_metrics({accuracy, at_initialisation, accuracy});
  std::set<std::string> found;
  for (const Metric& metric : metric_catalog()) {
    if (metrics[metric.name]) found.insert(metric.name);
  }
  return found;
}

TEST(Metrics, NeedTheLastRowAloneOrAreMissing) {
  const std::set<std::string> of_last_row = {"average_accuracy", "average_class_accuracy"};
  EXPECT_EQ(metrics_of({{}, {}, {0.6, 0.85, 0.9}}, {}), of_last_row);
  EXPECT_EQ(metrics_of({{}, {0.95, 0.8, 0.3}, {0.6, 0.85, 0.9}}, {}), of_last_row);
  EXPECT_EQ(metrics_of({{0.9, 0.2, 0.1}, {}, {0.6, 0.85, 0.9}}, kAtInitialisation), of_last_row);
  EXPECT_NEAR(compute_metrics({{}, {}, {0.6, 0.85, 0.9}}, {}).average_accuracy(),
              (0.6 + 0.85 + 0.9) / 3, 1e-12);
}

TEST(Metrics, NeedNoMoreThanTheTasksSoFarAndTheNext) {
  const AccuracyMatrix seen = {{0.9, 0.2}, {0.95, 0.8, 0.3}, {0.6, 0.85, 0.9}};
  const Metrics all = compute_metrics(kAccuracy, kAtInitialisation);
  const Metrics some = compute_metrics(seen, kAtInitialisation);
  for (const Metric& metric : metric_catalog()) EXPECT_EQ(some[metric.name], all[metric.name]);
}

TEST(Metrics, OnlyForwardTransferLooksAtTheNextTaskAndAtTheFirstNetwork) {
  std::set<std::string> others;
  for (const Metric& metric : metric_catalog()) others.insert(metric.name);
  others.erase("forward_transfer");
  const AccuracyMatrix triangle = {{0.9}, {0.95, 0.8}, {0.6, 0.85, 0.9}};
  EXPECT_EQ(metrics_of(triangle, kAtInitialisation), others);
  EXPECT_EQ(metrics_of(kAccuracy, {}), others);
}

TEST(Metrics, OfTheFirstTasksAreThoseOfTheUpperLeftCorner) {
  const AccuracyMatrix corner = first_tasks_of(kAccuracy, 2);
  EXPECT_EQ(corner, (AccuracyMatrix{{kAccuracy[0][0], kAccuracy[0][1]},
                                    {kAccuracy[1][0], kAccuracy[1][1]}}));
}

TEST(Metrics, AnUnknownNameIsAMistake) {
  Metrics metrics;
  EXPECT_THROW(metrics["forgeting"], UnknownName);
  EXPECT_THROW(metrics.set("forgeting", 1), UnknownName);
}

TEST(Metrics, TheCatalogExplainsEachMetricOnce) {
  std::set<std::string> seen;
  std::set<std::string> titles;
  for (const Metric& metric : metric_catalog()) {
    EXPECT_TRUE(seen.insert(metric.name).second) << metric.name;
    EXPECT_TRUE(titles.insert(metric.title).second) << metric.name;
    EXPECT_FALSE(metric.title.empty()) << metric.name;
    EXPECT_FALSE(metric.paper.empty()) << metric.name << " has no formula";
    EXPECT_FALSE(metric.summary.empty()) << metric.name << " has no meaning";
    EXPECT_NE(metric.compute, nullptr) << metric.name;
  }
}

TEST(Metrics, EachSaysWhetherLargerIsBetter) {
  // Everything learnt and kept against everything forgotten: what is better is the better one.
  const AccuracyMatrix good = {{1, 0.5}, {1, 1}};
  const AccuracyMatrix bad = {{0.75, 0}, {0, 0.25}};
  const std::vector<double> before = {0.25, 0.25};
  for (const Metric& metric : metric_catalog()) {
    const double kept = value_of(metric, {good, before, good}).value();
    const double lost = value_of(metric, {bad, before, bad}).value();
    EXPECT_EQ(kept > lost, metric.larger_is_better) << metric.name;
  }
}

}  // namespace metrics_test
}  // namespace gps
