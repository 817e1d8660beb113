#include "gps/core/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace gps {
namespace statistics_test {

TEST(Mean, IsAsComputedByHand) {
  EXPECT_EQ(mean(std::vector<double>{1, 2, 6}), 3);
  EXPECT_EQ(mean(std::vector<double>{-4.5}), -4.5);
  EXPECT_TRUE(std::isnan(mean({})));
}

TEST(Summarise, GivesTheMeanAndTheSampleStandardDeviation) {
  const std::vector<double> values = {2, 4, 4, 4, 5, 5, 7, 9};  // squares around 5 sum to 32
  const Summary summary = summarise(values);
  EXPECT_DOUBLE_EQ(summary.mean, 5);
  EXPECT_DOUBLE_EQ(summary.deviation.value(), std::sqrt(32.0 / 7));
}

TEST(Summarise, EqualValuesDeviateByNothing) {
  const std::vector<double> values = {3, 3, 3};
  EXPECT_DOUBLE_EQ(summarise(values).deviation.value(), 0);
}

TEST(Summarise, ASingleValueHasNoDeviation) {
  const std::vector<double> values = {42};
  EXPECT_DOUBLE_EQ(summarise(values).mean, 42);
  EXPECT_FALSE(summarise(values).deviation.has_value());
}

TEST(StudentT, MatchesPublishedTables) {
  EXPECT_NEAR(student_t_975(1), 12.7062, 5e-5);
  EXPECT_NEAR(student_t_975(2), 4.3027, 5e-5);
  EXPECT_NEAR(student_t_975(4), 2.7764, 5e-5);
  EXPECT_NEAR(student_t_975(9), 2.2622, 5e-5);
  EXPECT_NEAR(student_t_975(30), 2.0423, 5e-5);
  EXPECT_NEAR(student_t_975(31), 2.0395, 1e-4);
  EXPECT_NEAR(student_t_975(40), 2.0211, 1e-4);
  EXPECT_NEAR(student_t_975(60), 2.0003, 1e-4);
  EXPECT_NEAR(student_t_975(120), 1.9799, 1e-4);
}

TEST(StudentT, FallsToTheNormalQuantileWithoutAJumpBehindTheTable) {
  for (std::size_t degrees = 1; degrees < 500; ++degrees) {
    EXPECT_LT(student_t_975(degrees + 1), student_t_975(degrees)) << degrees;
    EXPECT_GT(student_t_975(degrees), 1.95996) << degrees;
  }
  EXPECT_NEAR(student_t_975(1000000), 1.95996, 1e-5);
}

TEST(PairedDifference, IsTheMeanOfTheDifferencesWithItsInterval) {
  const std::vector<double> before = {10, 20, 30};
  const std::vector<double> after = {11, 22, 33};  // differences 1, 2, 3: mean 2, deviation 1
  const PairedDifference paired = paired_difference(before, after);
  EXPECT_DOUBLE_EQ(paired.mean, 2);
  EXPECT_NEAR(paired.half_width.value(), 4.3027 / std::sqrt(3.0), 1e-4);
}

TEST(PairedDifference, CancelsWhatASeedDoesToBoth) {
  const std::vector<double> before = {10, 90, 40};
  const std::vector<double> after = {9, 89, 39};
  const PairedDifference paired = paired_difference(before, after);
  EXPECT_DOUBLE_EQ(paired.mean, -1);
  EXPECT_NEAR(paired.half_width.value(), 0, 1e-12);
}

TEST(PairedDifference, ASinglePairHasNoInterval) {
  const std::vector<double> before = {1};
  const std::vector<double> after = {4};
  EXPECT_DOUBLE_EQ(paired_difference(before, after).mean, 3);
  EXPECT_FALSE(paired_difference(before, after).half_width.has_value());
}

TEST(FDistribution, HasTheQuantilesOfTheTables) {
  EXPECT_NEAR(f_above(6.3882, 4, 4), 0.05, 1e-5);
  EXPECT_NEAR(f_above(2.5082, 6, 24), 0.05, 1e-5);
  EXPECT_NEAR(f_above(161.4476, 1, 1), 0.05, 1e-5);
  EXPECT_NEAR(f_above(4.8491, 10, 10), 0.01, 1e-5);
}

TEST(FDistribution, IsHalfAtOneForEqualDegreesAndHasItsEnds) {
  for (const std::size_t degrees : {1u, 4u, 30u})
    EXPECT_NEAR(f_above(1, degrees, degrees), 0.5, 1e-12);
  EXPECT_EQ(f_above(0, 3, 4), 1);
  EXPECT_EQ(f_above(std::numeric_limits<double>::infinity(), 3, 4), 0);
}

TEST(FDistribution, TurnsOverWithItsDegrees) {
  for (const double f : {0.1, 0.7, 2.0, 9.0})
    EXPECT_NEAR(f_above(f, 3, 8) + f_above(1 / f, 8, 3), 1, 1e-12);
}

TEST(DifferenceBySeed, IsOverTheSeedsThatBothHave) {
  const BySeed before = {{0, 10}, {1, 20}, {5, 99}};
  const BySeed after = {{0, 11}, {1, 23}, {7, 0}};  // differences 1 and 3
  EXPECT_EQ(common_seeds(before, after), 2u);
  EXPECT_DOUBLE_EQ(difference(before, after).value().mean, 2);
  EXPECT_FALSE(difference(before, {{7, 1}}).has_value());
}

TEST(Scaled, IsTheSummaryOfScaledValues) {
  const Summary summary = scaled(summarise(std::vector<double>{0.5, 0.75}), 100);
  EXPECT_DOUBLE_EQ(summary.mean, 62.5);
  EXPECT_DOUBLE_EQ(summary.deviation.value(), 25 / std::sqrt(2.0));
  EXPECT_FALSE(scaled({1, {}}, 2).deviation.has_value());
}

TEST(Wilson, IsTheIntervalOfTheTextbooks) {
  // 8 of 10 right (Wilson 1927): 0.4901 to 0.9433.
  EXPECT_NEAR(wilson(0.8, 10).low, 0.4901, 1e-4);
  EXPECT_NEAR(wilson(0.8, 10).high, 0.9433, 1e-4);
  EXPECT_EQ(wilson(0, 10).low, 0);
  EXPECT_NEAR(wilson(1, 10).high, 1, 1e-12);
  EXPECT_NEAR(wilson(1, 10).low, 0.7225, 1e-4);
}

}  // namespace statistics_test
}  // namespace gps
