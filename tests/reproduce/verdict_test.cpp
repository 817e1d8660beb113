// The rules, by hand on made-up values.
#include "gps/reproduce/verdict.h"

#include <gmock/gmock.h>

#include <limits>

namespace gps {
namespace verdict_test {

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

TEST(Verdict, NothingIsTriedWithADeadNetwork) {
  const Named high = named("gps", {81.9, 72, 63.1, 70, 71});
  const Named low = named("er", {80, 70, 61, 68, 69});
  Named dead = low;
  dead.collapsed = 1;
  ASSERT_EQ(judge_above("", high, {low}).verdict, Verdict::reproduced);
  const std::vector<Judgement> all = {
      judge_above("", high, {low, dead}),  judge_above("", dead, {high}),
      judge_no_gain("", high, {dead}),     judge_close("", dead, high, 100),
      judge_levels("", {{dead, 69.6, 1}}), judge_steadier("", high, {dead}),
      judge_between("", dead, 0, 100)};
  for (const Judgement& each : all) {
    EXPECT_EQ(each.verdict, Verdict::not_tried) << each.rule;
    EXPECT_EQ(each.numbers, "networks have collapsed: 1 of 5 of er");
  }
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

TEST(Verdict, NoGainNeedsIntervalsThatEndBelowTheMargin) {
  const Named gps = named("gps", {81.9, 72, 63.1});
  // Differences 1.9, 2, 2.1: all of the interval is above 0.
  EXPECT_EQ(judge_no_gain("", gps, {named("er", {80, 70, 61})}).verdict, Verdict::not_reproduced);
  // 0, 1, -0.9: the interval of ±2.36 allows a gain of two points, and none.
  const Judgement wide = judge_no_gain("", gps, {named("er", {81.9, 71, 64})});
  EXPECT_EQ(wide.verdict, Verdict::not_tried);
  EXPECT_EQ(wide.numbers, "cannot tell: gps - er: +0.03 [-2.33, +2.39] (3 seeds)");
  // 0.1, 0, -0.1: ±0.25.
  EXPECT_EQ(judge_no_gain("", gps, {named("er", {81.8, 72, 63.2})}).verdict, Verdict::reproduced);
  EXPECT_EQ(judge_no_gain("", gps, {named("er", {81.8, 72, 63.2})}, 0.2).verdict,
            Verdict::not_tried);
  EXPECT_EQ(judge_no_gain("", gps, {named("er", {91.9, 82, 73})}).verdict, Verdict::reproduced);
  EXPECT_EQ(judge_no_gain("", gps, {named("er", {})}).verdict, Verdict::not_tried);
  EXPECT_EQ(judge_no_gain("", gps, {named("er", {81.8, 72, 63.2}), named("hybrid", {80})}).verdict,
            Verdict::not_tried);
  EXPECT_EQ(judge_no_gain("", gps, {named("er", {80, 70, 61}), named("hybrid", {})}).verdict,
            Verdict::not_reproduced);
  EXPECT_EQ(judge_no_gain("", gps, {}).verdict, Verdict::not_tried);
}

TEST(Verdict, CloseIfTheWholeIntervalIs) {
  const Named gps = named("gps", {80, 82, 84});
  // Differences 0.1, 0, -0.1: ±0.25.
  EXPECT_EQ(judge_close("", gps, named("oracle", {79.9, 82, 84.1}), 1).verdict,
            Verdict::reproduced);
  EXPECT_EQ(judge_close("", gps, named("oracle", {81.9, 84, 86.1}), 1).verdict,
            Verdict::not_reproduced);
  EXPECT_EQ(judge_close("", gps, named("oracle", {77.9, 80, 82.1}), 1).verdict,
            Verdict::not_reproduced);
  // A mean difference of 0 with an interval of ±5.
  const Judgement wide = judge_close("", gps, named("oracle", {78, 82, 86}), 1);
  EXPECT_EQ(wide.verdict, Verdict::not_tried);
  EXPECT_THAT(wide.numbers, HasSubstr("cannot tell: gps - oracle: +0.00 [-4.97, +4.97]"));
  EXPECT_EQ(judge_close("", named("gps", {80}), named("oracle", {80}), 1).verdict,
            Verdict::not_tried);
  EXPECT_EQ(judge_close("", gps, named("oracle", {}), 1).verdict, Verdict::not_tried);
}

TEST(Verdict, LevelsWithinTheToleranceOrWithOverlappingIntervals) {
  const Named ours = named("er", {84, 85, 86});  // 85, half the interval 2.484
  EXPECT_EQ(judge_levels("", {{ours, 87, 0.0}}).verdict, Verdict::reproduced) << "within 2";
  // The paper's five runs with a deviation of 1: half the interval is 2.7764/√5 = 1.2416.
  EXPECT_EQ(judge_levels("", {{ours, 88.7, 1.0}}).verdict, Verdict::reproduced) << "overlap";
  const Judgement apart = judge_levels("", {{ours, 88.8, 1.0}, {named("gps", {90, 90}), 90, 1.0}});
  EXPECT_EQ(apart.verdict, Verdict::not_reproduced);
  EXPECT_EQ(apart.numbers, "ours - paper: NOT er -3.80 (3 seeds); gps +0.00 (2 seeds)");
  // 85 with an interval of ±127: two seeds that disagree do not reproduce everything.
  EXPECT_EQ(judge_levels("", {{named("er", {75, 95}), 91, 1.0}}).verdict, Verdict::not_reproduced);
}

TEST(Verdict, LevelsAreNotTriedWhereARowIsMissingAndNoneFails) {
  const Named ours = named("er", {84, 85, 86});
  const Judgement part = judge_levels("", {{ours, 85, 1.0}, {named("gps", {}), 90, 1.0}});
  EXPECT_EQ(part.verdict, Verdict::not_tried);
  EXPECT_EQ(part.numbers, "ours - paper: er +0.00 (3 seeds); fewer than two seeds of gps");
  EXPECT_EQ(judge_levels("", {{named("er", {87}), 87, 1.0}}).verdict, Verdict::not_tried)
      << "one seed";
  EXPECT_EQ(judge_levels("", {{ours, 99, 1.0}, {named("gps", {}), 90, 1.0}}).verdict,
            Verdict::not_reproduced);
  EXPECT_EQ(judge_levels("", {}).verdict, Verdict::not_tried);
}

TEST(Verdict, SteadierByAnFTest) {
  const Named gps = named("gps", {80, 81, 82, 83, 84});
  const auto scaled = [](double by) {
    return named("er", {80, 80 + by, 80 + 2 * by, 80 + 3 * by, 80 + 4 * by});
  };
  // F_{0.95}(4, 4) is 6.388 = 2.527².
  EXPECT_EQ(judge_steadier("", gps, {scaled(2.6)}).verdict, Verdict::reproduced);
  const Judgement near = judge_steadier("", gps, {scaled(2.6), scaled(2.4)});
  EXPECT_EQ(near.verdict, Verdict::not_tried);
  EXPECT_THAT(near.numbers, HasSubstr("cannot tell: standard deviations: gps 1.58 (5 seeds)"));
  EXPECT_EQ(judge_steadier("", gps, {scaled(2.6), scaled(0.3)}).verdict, Verdict::not_reproduced);
  EXPECT_EQ(judge_steadier("", gps, {scaled(0.5)}).verdict, Verdict::not_tried);
  EXPECT_EQ(judge_steadier("", gps, {}).verdict, Verdict::not_tried);
}

TEST(Verdict, SteadierIsNotTriedWithFewerThanFiveSeeds) {
  const Named four = named("er", {0, 50, 100, 150});
  const Named five = named("gps", {80, 81, 82, 83, 84});
  EXPECT_EQ(judge_steadier("", five, {four}).verdict, Verdict::not_tried);
  EXPECT_THAT(judge_steadier("", five, {four}).numbers, HasSubstr("fewer than 5 seeds of er"));
  EXPECT_EQ(judge_steadier("", named("gps", {80, 80, 80, 80}), {five}).verdict, Verdict::not_tried);
}

TEST(Verdict, BetweenByTheIntervalOfTheMean) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Named share = named("share", {8.9, 9, 9.1});  // ±0.248
  EXPECT_EQ(judge_between("", share, -infinity, 10).verdict, Verdict::reproduced);
  EXPECT_EQ(judge_between("", share, -infinity, 8).verdict, Verdict::not_reproduced);
  EXPECT_EQ(judge_between("", share, 9.5, infinity).verdict, Verdict::not_reproduced);
  const Judgement wide = judge_between("", share, -infinity, 9.1);
  EXPECT_EQ(wide.verdict, Verdict::not_tried);
  EXPECT_EQ(wide.numbers, "cannot tell: share: 9.00 [8.75, 9.25] (3 seeds)");
  EXPECT_EQ(judge_between("", named("share", {9}), 0, 10).verdict, Verdict::not_tried);
  EXPECT_EQ(judge_between("", named("share", {}), 0, 10).verdict, Verdict::not_tried);
  EXPECT_EQ(judge_between("", share, 0, 10).rule,
            "the 95 % interval of the mean lies between 0 and 10");
  EXPECT_EQ(judge_between("", share, 0, infinity).rule,
            "the 95 % interval of the mean lies above 0");
}

TEST(Verdict, HasThreeNames) {
  EXPECT_EQ(name_of(Verdict::reproduced), "reproduced");
  EXPECT_EQ(name_of(Verdict::not_reproduced), "not reproduced");
  EXPECT_EQ(name_of(Verdict::not_tried), "not tried");
}

}  // namespace verdict_test
}  // namespace gps
