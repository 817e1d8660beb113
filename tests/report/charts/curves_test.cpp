#include "gps/report/charts/curves.h"

#include <gtest/gtest.h>

#include "report/tiny_report.h"

namespace gps {
namespace curves_test {

const AccuracyMatrix kFirst = {{0.9, 0.1, 0.1}, {0.7, 0.8, 0.2}, {0.6, 0.9, 0.6}};
const AccuracyMatrix kSecond = {{0.7, 0.1, 0.1}, {0.5, 0.8, 0.2}, {0.5, 0.7, 0.6}};

TEST(AccuracyCurve, AveragesOverTheTasksSoFarAndThenOverSeeds) {
  const Curve curve = accuracy_curve({&kFirst, &kSecond});
  ASSERT_EQ(curve.size(), 3u);
  EXPECT_DOUBLE_EQ(curve[0]->mean, 0.8);                // 0.9 and 0.7
  EXPECT_DOUBLE_EQ(curve[1]->mean, (0.75 + 0.65) / 2);  // (0.7 + 0.8)/2 and (0.5 + 0.8)/2
  EXPECT_DOUBLE_EQ(curve[2]->mean, (0.7 + 0.6) / 2);    // 2.1/3 and 1.8/3
  EXPECT_NEAR(*curve[0]->deviation, 0.1414, 1e-4);      // 0.2/√2
}

TEST(ForgettingCurve, IsTheMetricAsIfTheStreamHadEndedThere) {
  const Curve curve = forgetting_curve({&kFirst});
  ASSERT_EQ(curve.size(), 2u) << "from the second task on";
  EXPECT_NEAR(curve[0]->mean, 0.2, 1e-12);              // 0.9 - 0.7
  EXPECT_NEAR(curve[1]->mean, (0.3 - 0.1) / 2, 1e-12);  // 0.9 - 0.6 and 0.8 - 0.9
  EXPECT_FALSE(curve[0]->deviation);
  const Metrics metrics = compute_metrics(kFirst, {0, 0, 0});
  EXPECT_DOUBLE_EQ(curve[1]->mean, *metrics["forgetting"]);
}

TEST(Curves, HaveNoPointWhereNoTaskWasTested) {
  const AccuracyMatrix every_second = {{}, {0.7, 0.8, 0.2}, {0.6, 0.9, 0.6}};
  const Curve curve = accuracy_curve({&every_second});
  ASSERT_EQ(curve.size(), 3u);
  EXPECT_FALSE(curve[0].has_value());
  EXPECT_DOUBLE_EQ(curve[1]->mean, 0.75);
  EXPECT_DOUBLE_EQ(curve[2]->mean, 0.7);
  EXPECT_TRUE(forgetting_curve({&every_second}).empty()) << "task 1 may have been better before";
  const AccuracyMatrix last = {{}, {}, {0.6, 0.9, 0.6}};
  EXPECT_DOUBLE_EQ(accuracy_curve({&last})[2]->mean, 0.7);
  EXPECT_FALSE(accuracy_curve({&kFirst, &last})[1].has_value()) << "not all seeds have it";
}

TEST(Curves, NeedNoTasksToCome) {
  const AccuracyMatrix seen = {{0.9, 0.1}, {0.7, 0.8, 0.2}, {0.6, 0.9, 0.6}};
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(accuracy_curve({&seen})[i]->mean, accuracy_curve({&kFirst})[i]->mean);
  EXPECT_EQ(forgetting_curve({&seen})[1]->mean, forgetting_curve({&kFirst})[1]->mean);
}

TEST(Curves, ThereAreNoneWhereAllTasksAreLearntAtOnce) {
  const AccuracyMatrix joint = {{0.8, 0.9}};
  EXPECT_TRUE(accuracy_curve({&joint}).empty());
  EXPECT_TRUE(forgetting_curve({&joint}).empty());
  EXPECT_TRUE(accuracy_curve({}).empty());
}

TEST(MeanMatrix, IsTheMeanOfEachEntry) {
  EXPECT_DOUBLE_EQ(mean_matrix({&kFirst, &kSecond})[1][0], 0.6);
  EXPECT_EQ(mean_matrix({&kFirst}), kFirst);
}

const PlanKnob& kRing = plan_knobs().front();

TEST(ShareCurve, IsThePartOfTheQuotaOverSeedsThatHaveOne) {
  RunResult first = testing::tiny_result("gps", 0, 0.6, 0.8);  // 4 of 8, 2 of 4
  RunResult second = testing::tiny_result("gps", 1, 0.6, 0.8);
  second.decisions = {{1, {8}, 8, {}}, {2, {0}, 0, {}}};  // no slot left for task 2
  const auto curve = share_curve(kRing, std::vector<const RunResult*>{&first, &second});
  ASSERT_EQ(curve.size(), 2u);
  EXPECT_DOUBLE_EQ(curve[0]->mean, 0.75);
  EXPECT_DOUBLE_EQ(curve[1]->mean, 0.5);
  EXPECT_FALSE(curve[1]->deviation);
  const RunResult other = testing::tiny_result("reservoir", 0, 0.6, 0.8);
  EXPECT_TRUE(share_curve(kRing, std::vector<const RunResult*>{&other}).empty());
}

}  // namespace curves_test
}  // namespace gps
