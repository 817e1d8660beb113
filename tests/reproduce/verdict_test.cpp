// The rules, by hand on made-up values.
#include "gps/reproduce/verdict.h"

#include <gmock/gmock.h>

#include <limits>

namespace gps {
namespace {

using ::testing::HasSubstr;

Named named(const std::string& name, const std::vector<double>& values) {
  Named row{name, {}};
  for (std::size_t seed = 0; seed < values.size(); ++seed) row.values[seed] = values[seed];
  return row;
}

TEST(Verdict, AboveIfTheIntervalOfThePairedDifferenceLiesAboveZero) {
  // Differences 1.9, 2, 2.1: deviation 0.1, half the interval 4.3027 · 0.1/√3 = 0.248.
  const Judgement above =
      judge_above("a claim", named("gps", {81.9, 72, 63.1}), {named("er", {80, 70, 61})});
  EXPECT_EQ(above.verdict, Verdict::reproduced);
  EXPECT_EQ(above.claim, "a claim");
  EXPECT_EQ(above.numbers, "gps - er: +2.00 [+1.75, +2.25] (3 seeds)");
  // Differences 1, 2, 3: deviation 1, half the interval 2.484.
  const Judgement wide = judge_above("", named("gps", {81, 72, 64}), {named("er", {80, 70, 61})});
  EXPECT_EQ(wide.verdict, Verdict::not_reproduced);
  EXPECT_THAT(wide.numbers, HasSubstr("+2.00 [-0.48, +4.48]"));
}

TEST(Verdict, AboveByAMargin) {
  const Named high = named("gps", {81.9, 72, 63.1});
  const Named low = named("er", {80, 70, 61});
  EXPECT_EQ(judge_above("", high, {low}, 1.7).verdict, Verdict::reproduced);
  EXPECT_EQ(judge_above("", high, {low}, 1.8).verdict, Verdict::not_reproduced);
}

TEST(Verdict, ASeedThatOnlyOneHasDoesNotCount) {
  Named high = named("gps", {81.9, 72, 63.1});
  high.values[7] = 0;
  EXPECT_THAT(judge_above("", high, {named("er", {80, 70, 61})}).numbers, HasSubstr("(3 seeds)"));
}

TEST(Verdict, AnOrderIsNotTriedWithFewerThanTwoCommonSeeds) {
  EXPECT_EQ(judge_above("", named("gps", {81}), {named("er", {80})}).verdict, Verdict::not_tried);
  EXPECT_EQ(judge_above("", named("gps", {}), {named("er", {80, 81})}).verdict, Verdict::not_tried);
  const Judgement part = judge_above("", named("gps", {81.9, 72, 63.1}),
                                     {named("er", {80, 70, 61}), named("hybrid", {})});
  EXPECT_EQ(part.verdict, Verdict::not_tried);
  EXPECT_THAT(part.numbers, HasSubstr("hybrid"));
}

TEST(Verdict, AnOrderIsNotTriedWhereThereIsNothingToCompareWith) {
  EXPECT_EQ(judge_above("", named("gps", {81, 82}), {}).verdict, Verdict::not_tried);
}

TEST(Verdict, AboveAllFailsWithTheFirstThatItIsNotAbove) {
  const Judgement judgement = judge_above("", named("gps", {81.9, 72, 63.1}),
                                          {named("mixed", {90, 90, 90}), named("hybrid", {})});
  EXPECT_EQ(judgement.verdict, Verdict::not_reproduced);
}

TEST(Verdict, NoGainUnlessAnIntervalLiesAboveZero) {
  const Named gps = named("gps", {81.9, 72, 63.1});
  EXPECT_EQ(judge_no_gain("", gps, {named("er", {80, 70, 61})}).verdict, Verdict::not_reproduced);
  EXPECT_EQ(judge_no_gain("", gps, {named("er", {81.9, 71, 64})}).verdict, Verdict::reproduced);
  EXPECT_EQ(judge_no_gain("", gps, {named("er", {99, 99, 99})}).verdict, Verdict::reproduced);
  EXPECT_EQ(judge_no_gain("", gps, {named("er", {})}).verdict, Verdict::not_tried);
}

TEST(Verdict, CloseByTheMeanOfTheDifference) {
  const Named gps = named("gps", {80, 82});
  EXPECT_EQ(judge_close("", gps, named("oracle", {81, 83}), 1).verdict, Verdict::reproduced);
  EXPECT_EQ(judge_close("", gps, named("oracle", {81, 83.2}), 1).verdict, Verdict::not_reproduced);
  EXPECT_EQ(judge_close("", gps, named("oracle", {79, 80.8}), 1).verdict, Verdict::not_reproduced);
  EXPECT_EQ(judge_close("", gps, named("oracle", {}), 1).verdict, Verdict::not_tried);
}

TEST(Verdict, LevelsWithinTheToleranceOrWithOverlappingIntervals) {
  const Named ours = named("er", {84, 85, 86});  // 85, half the interval 2.484
  EXPECT_EQ(judge_levels("", {{ours, 87, 0.0}}).verdict, Verdict::reproduced) << "within 2";
  // The paper's five runs with a deviation of 1: half the interval is 2.7764/√5 = 1.2416.
  EXPECT_EQ(judge_levels("", {{ours, 88.7, 1.0}}).verdict, Verdict::reproduced) << "overlap";
  const Judgement apart = judge_levels("", {{ours, 88.8, 1.0}, {named("gps", {90}), 90, 1.0}});
  EXPECT_EQ(apart.verdict, Verdict::not_reproduced);
  EXPECT_EQ(apart.numbers, "ours - paper: NOT er -3.80; gps +0.00");
  EXPECT_EQ(judge_levels("", {{named("er", {}), 87, 1.0}}).verdict, Verdict::not_tried);
  // 85 with an interval of ±127: two seeds that disagree do not reproduce everything.
  EXPECT_EQ(judge_levels("", {{named("er", {75, 95}), 91, 1.0}}).verdict, Verdict::not_reproduced);
}

TEST(Verdict, SteadierByTheStandardDeviation) {
  const Named gps = named("gps", {80, 81});
  EXPECT_EQ(judge_steadier("", gps, {named("er", {80, 82})}).verdict, Verdict::reproduced);
  EXPECT_EQ(judge_steadier("", gps, {named("er", {80, 82}), named("hybrid", {80, 80.5})}).verdict,
            Verdict::not_reproduced);
  EXPECT_EQ(judge_steadier("", gps, {named("er", {80})}).verdict, Verdict::not_tried);
  EXPECT_EQ(judge_steadier("", named("gps", {80}), {named("er", {80, 82})}).verdict,
            Verdict::not_tried);
}

TEST(Verdict, BetweenByTheMean) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(judge_between("", named("share", {9, 10}), -infinity, 10).verdict, Verdict::reproduced);
  EXPECT_EQ(judge_between("", named("share", {10, 11}), -infinity, 10).verdict,
            Verdict::not_reproduced);
  EXPECT_EQ(judge_between("", named("share", {}), 0, 10).verdict, Verdict::not_tried);
  EXPECT_EQ(judge_between("", named("share", {1}), 0, 10).rule, "the mean is between 0 and 10");
  EXPECT_EQ(judge_between("", named("share", {1}), 0, infinity).rule, "the mean is at least 0");
}

TEST(Verdict, HasThreeNames) {
  EXPECT_EQ(name_of(Verdict::reproduced), "reproduced");
  EXPECT_EQ(name_of(Verdict::not_reproduced), "not reproduced");
  EXPECT_EQ(name_of(Verdict::not_tried), "not tried");
}

}  // namespace
}  // namespace gps
