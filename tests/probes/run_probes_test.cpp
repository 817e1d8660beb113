// Analyses that are functions of runs: forgetting, distance of ratios, time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/tiny_run.h"
#include "gps/probes/forgetting_curve.h"
#include "gps/probes/ratio_distance.h"
#include "gps/probes/time_ratio.h"

namespace gps {
namespace run_probes_test {

using ::testing::ElementsAre;
using testing::tiny_spec;

RunResult made_up(const std::string& policy) {
  RunResult result;
  result.spec = tiny_spec(policy);
  result.accuracy = {{0.9, 0.1, 0.2}, {0.8, 0.95, 0.3}, {0.7, 0.85, 0.96}};
  return result;
}

TEST(ForgettingCurve, OfARunIsAColumnOfItsMatrixFromTheDiagonalOn) {
  const RunResult run = made_up("reservoir");
  EXPECT_THAT(forgetting_curve(run, 1), ElementsAre(0.9, 0.8, 0.7));
  EXPECT_THAT(forgetting_curve(run, 2), ElementsAre(0.95, 0.85));
  EXPECT_THAT(forgetting_curve(run, 3), ElementsAre(0.96));
  EXPECT_THROW(forgetting_curve(run, 4), UsageError);
  RunResult joint = run;
  joint.accuracy.resize(1);
  EXPECT_THROW(forgetting_curve(joint, 1), UsageError);
}

TEST(ForgettingCurve, OfARunNeedsTheTestsOfEachTask) {
  RunResult run = made_up("reservoir");
  run.spec.evaluation.when = "last";
  run.accuracy[1].clear();
  try {
    forgetting_curve(run, 1);
    FAIL() << "not refused";
  } catch (const OptionError& error) {
    EXPECT_EQ(std::string(error.what()),
              "`evaluate` must be every-task or seen for this: with last, task 1 was not tested "
              "after task 2");
  }
  EXPECT_THAT(forgetting_curve(run, 3), ElementsAre(0.96));
}

TEST(ForgettingCurve, OfAFutureIsThePathOfAPoint) {
  const RingSizePoint point{{.ring_size = 5}, {{1, 0.9, 2, 0.8}, {3, 0.7, 4, 0.6}}};
  EXPECT_THAT(forgetting_curve(point, Measure::loss), ElementsAre(1, 3));
  EXPECT_THAT(forgetting_curve(point, Measure::test_loss), ElementsAre(2, 4));
  EXPECT_THAT(forgetting_curve(point, Measure::accuracy), ElementsAre(0.9, 0.7));
  EXPECT_THAT(forgetting_curve(point, Measure::test_accuracy), ElementsAre(0.8, 0.6));
  EXPECT_THROW(forgetting_curve(point, Measure::global_loss), UsageError);
}

RunResult with_ratios(const std::string& policy, std::size_t first, std::size_t second,
                      std::size_t last) {
  RunResult result = made_up(policy);
  result.decisions = {{1, {first}, 24, {}}, {2, {second}, 12, {}}, {3, {last}, 8, {}}};
  return result;
}

TEST(RatioDistance, SumsOverTheTasksAfterWhichThereIsASearch) {
  const RatioDistance distance = ratio_distance(with_ratios("gps:offline", 6, 12, 0),
                                                with_ratios("gps:permutation", 18, 3, 8));
  EXPECT_THAT(distance.reference, ElementsAre(0.25, 1));
  EXPECT_THAT(distance.found, ElementsAre(0.75, 0.25));
  EXPECT_DOUBLE_EQ(distance.distance, 0.5 + 0.75);
}

TEST(RatioDistance, IsNothingBetweenARunAndItself) {
  const RunResult run = testing::tiny_run(tiny_spec("gps"));
  EXPECT_EQ(ratio_distance(run, run).distance, 0);
}

TEST(RatioDistance, IsRefusedBetweenRunsThatCannotBeCompared) {
  const RunResult run = with_ratios("gps:offline", 6, 12, 0);
  RunResult other = run;
  other.seed = 1;
  EXPECT_THROW(ratio_distance(run, other), UsageError);
  other = run;
  other.spec.memory = 25;
  EXPECT_THROW(ratio_distance(run, other), UsageError);
  EXPECT_THROW(ratio_distance(run, made_up("reservoir")), UsageError);
  other = run;
  other.decisions.erase(other.decisions.begin());
  EXPECT_THROW(ratio_distance(run, other), UsageError) << "a decision less";
  EXPECT_THROW(ratio_distance(other, run), UsageError);
}

TEST(TimeRatio, DividesSimulationByTraining) {
  RunResult run = made_up("gps");
  run.seconds = {.training = 8, .simulation = 2, .evaluation = 5};
  EXPECT_EQ(time_ratio(run).training, 8);
  EXPECT_EQ(time_ratio(run).simulation, 2);
  EXPECT_EQ(time_ratio(run).ratio, 0.25);
  run.seconds.training = 0;
  EXPECT_EQ(time_ratio(run).ratio, 0);
}

}  // namespace run_probes_test
}  // namespace gps
