#include "gps/deployment/acceptance/gate.h"

#include <gmock/gmock.h>

#include "deployment/weeks.h"

namespace gps {
namespace gate_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Gate needs_accuracy(double least, bool is_strict = false) {
  Gate gate{.is_strict = is_strict};
  gate.least_accuracy = least;
  return gate;
}

Gate allows_forgetting(double most, bool is_strict = false) {
  Gate gate{.is_strict = is_strict};
  gate.most_forgetting = most;
  return gate;
}

GateEvidence evidence(std::size_t images, double accuracy) {
  GateEvidence found;
  found.images = images;
  found.accuracy = accuracy;
  return found;
}

GateEvidence fall(std::size_t images, double before, double now) {
  GateEvidence found;
  found.earlier_images = images;
  found.before = before;
  found.now = now;
  found.has_version_before = true;
  return found;
}

// Wilson's interval of 8 of 10 is [49.0, 94.3] %, and of 80 of 100 it is [71.1, 86.7] %.
TEST(AcceptanceGate, MissesAnAccuracyOnlyBeyondChance) {
  EXPECT_THAT(judge(needs_accuracy(0.94), evidence(10, 0.8)).problems, IsEmpty());
  EXPECT_THAT(judge(needs_accuracy(0.95), evidence(10, 0.8)).problems, SizeIs(1));
  EXPECT_THAT(judge(needs_accuracy(0.86), evidence(100, 0.8)).problems, IsEmpty());
  EXPECT_THAT(judge(needs_accuracy(0.87), evidence(100, 0.8)).problems,
              ElementsAre(HasSubstr("accuracy on 100 test images is 80.0 % [71.1, 86.7], below the "
                                    "required 87.0 %")));
}

TEST(AcceptanceGate, TakesTheEstimateItselfIfItIsStrict) {
  EXPECT_THAT(judge(needs_accuracy(0.8, true), evidence(10, 0.8)).problems, IsEmpty());
  EXPECT_THAT(judge(needs_accuracy(0.81, true), evidence(10, 0.8)).problems, SizeIs(1));
  EXPECT_THAT(judge(allows_forgetting(0.3, true), fall(10, 0.9, 0.6)).problems, IsEmpty());
  EXPECT_THAT(judge(allows_forgetting(0.29, true), fall(10, 0.9, 0.6)).problems, SizeIs(1));
}

// Newcombe's example (1998, table II, case a): 56 of 70 and 48 of 80 differ by 0.2, and method 10
// gives the interval [0.0524, 0.3339]. With equal sizes, by hand: 90 and 60 of 100 have Wilson's
// intervals [0.8256, 0.9448] and [0.5020, 0.6906], so 0.3 - sqrt(0.0744² + 0.0906²) = 0.1828.
TEST(AcceptanceGate, MissesALimitOfForgettingOnlyBeyondChance) {
  EXPECT_THAT(judge(allows_forgetting(0.184), fall(100, 0.9, 0.6)).problems, IsEmpty());
  const GateVerdict verdict = judge(allows_forgetting(0.181), fall(100, 0.9, 0.6));
  EXPECT_THAT(verdict.problems,
              ElementsAre(HasSubstr("on 100 test images of earlier tasks fell by 30.0 points")));
  ASSERT_TRUE(verdict.forgetting);
  EXPECT_NEAR(verdict.forgetting->interval.low, 0.1828, 5e-4);
  EXPECT_FALSE(verdict.forgetting->is_met);
  EXPECT_THAT(judge(allows_forgetting(0), fall(100, 0.6, 0.9)).problems, IsEmpty()) << "it rose";
}

TEST(AcceptanceGate, DoesNotPassWhatNothingCanJudge) {
  EXPECT_THAT(judge(needs_accuracy(0), evidence(0, 0)).problems, SizeIs(1));
  EXPECT_THAT(judge(allows_forgetting(1), fall(0, 0, 0)).problems, SizeIs(1));
  EXPECT_THAT(judge(allows_forgetting(0), evidence(0, 0)).problems, IsEmpty())
      << "a first version has nothing to forget";
  EXPECT_THAT(judge({}, fall(100, 1, 0)).problems, IsEmpty()) << "there is no limit";
}

TEST(AcceptanceGate, WeighsTheHeldOutImagesOfTheReport) {
  LearnReport report{.task = 3};
  report.scores = {
      {.task = 1, .last = 1, .examples = 10, .before = Tested{.among_all = 1}, .now = {}},
      {.task = 2, .last = 2, .examples = 30, .before = Tested{.among_all = 0.6}, .now = {}},
      {.task = 3, .last = 3, .examples = 40, .before = Tested{}, .now = {}}};
  for (TaskStanding& score : report.scores) score.now.among_all = 0.1 * score.task;
  const GateEvidence found = held_out_evidence(report);
  EXPECT_EQ(found.images, 80u);
  EXPECT_NEAR(found.accuracy, (10 * 0.1 + 30 * 0.2 + 40 * 0.3) / 80, 1e-12);
  EXPECT_EQ(found.earlier_images, 40u);
  EXPECT_NEAR(found.before, (10 + 18) / 40.0, 1e-12);
  EXPECT_NEAR(found.now, (1 + 6) / 40.0, 1e-12);
  EXPECT_TRUE(found.has_version_before);
}

}  // namespace gate_test
}  // namespace gps
