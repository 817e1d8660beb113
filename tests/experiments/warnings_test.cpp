#include "gps/experiments/warnings.h"

#include <gmock/gmock.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "experiments/tiny_run.h"

namespace gps {
namespace warnings_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using testing::tiny_run;
using testing::tiny_spec;
using testing::tiny_spec_without_memory;

// A run whose network gives one answer for all images, as a dead one does. With too large steps, it
// would depend on the last bits of sums which units die.
RunResult blank_run(const Spec& spec) {
  Executor executor(1);
  const testing::TinySource source(spec.benchmark,
                                   {testing::blank_dataset(4, 30), testing::blank_dataset(4, 20)});
  return run(spec, 0, source, executor);
}

TEST(Warnings, ANetworkWithOneAnswerForEverythingIsNoticed) {
  const RunResult result = blank_run(tiny_spec("reservoir"));
  ASSERT_DOUBLE_EQ(result.metrics.average_accuracy(), 0.25);
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_THAT(result.warnings[0], HasSubstr("3 of 3 tasks not learnt: after training on task 1"));
  EXPECT_THAT(result.warnings[0], HasSubstr("25.0 %"));
  EXPECT_THAT(result.warnings[0], HasSubstr("try a lower `lr`"));
  EXPECT_TRUE(result.has_collapsed);
  EXPECT_EQ(to_json(result).at("collapsed"), true);
}

TEST(Warnings, ANetworkWithOneAnswerAfterLearningAllAtOnceIsNoticed) {
  EXPECT_EQ(blank_run(tiny_spec_without_memory("joint")).warnings.size(), 1u);
}

TEST(Warnings, ANetworkThatLearnsGetsNone) {
  for (const Spec& spec : {tiny_spec("reservoir"), tiny_spec("gps"),
                           tiny_spec_without_memory("sgd"), tiny_spec_without_memory("joint")}) {
    const RunResult result = tiny_run(spec);
    EXPECT_THAT(result.warnings, IsEmpty());
    EXPECT_FALSE(to_json(result).contains("warnings")) << "other results stay as they were";
    EXPECT_FALSE(to_json(result).contains("collapsed"));
  }
}

TEST(Warnings, ManySmallTestSetsAreJudgedTogether) {
  // 30 % on each of 40 sets of 20 images: none shows that it is better than 22 %, all 800 do.
  RunResult result;
  result.accuracy.assign(40, std::vector<double>(40, 0.3));
  const std::vector<GuessedTest> tests(40, {20, 0.22});
  EXPECT_THAT(findings_of(result, tests).warnings, IsEmpty());
  result.accuracy.assign(40, std::vector<double>(40, 0.22));
  EXPECT_TRUE(findings_of(result, tests).has_collapsed);
  EXPECT_THAT(findings_of(result, tests, {}, /*common_guess=*/0.1).warnings, IsEmpty())
      << "one answer for all tasks is right on one of ten";
  result.accuracy.assign(40, std::vector<double>(40, 0.1));
  EXPECT_TRUE(findings_of(result, tests, {}, /*common_guess=*/0.1).has_collapsed);
}

TEST(Warnings, ResultsWithoutMarksAreDeadIfEachClassMeanIsThatOfOneAnswer) {
  RunResult result;
  result.memory = {{{1, {1, 1, 1, 1}, {0, 0, 0, 0}}}};
  result.class_accuracy = {{0.9, 0.2}, {0.25, 0.25}};
  EXPECT_TRUE(gave_one_answer(result)) << "at the end";
  result.class_accuracy = {{0.25, 0.3}, {0.3, 0.25}};
  EXPECT_TRUE(gave_one_answer(result)) << "after training on each";
  result.class_accuracy = {{0.25, 0.2}, {0.25, 0.9}};
  EXPECT_FALSE(gave_one_answer(result)) << "it has learnt the second task";
  result.labels = {{0, 1}, {2, 3}};
  result.class_accuracy = {{0.5, 0.2}, {0.5, 0.5}};
  EXPECT_TRUE(gave_one_answer(result)) << "of the classes of each task";
  result.memory.clear();
  result.labels.clear();
  EXPECT_FALSE(gave_one_answer(result)) << "the number of classes is not known";
}

TEST(Warnings, ResultsOfTheVersionWithoutMarksAreMarkedWhenTheyAreRead) {
  nlohmann::json json = to_json(blank_run(tiny_spec("reservoir")));
  json.erase("collapsed");
  json.erase("checksum");
  EXPECT_FALSE(result_from_json(json).has_collapsed) << "this version has looked already";
  json["version"] = kVersionWithoutMarks;
  EXPECT_TRUE(result_from_json(json).has_collapsed);
}

TEST(Warnings, SurviveTheWayThroughJson) {
  RunResult result = tiny_run(tiny_spec("reservoir"));
  result.warnings = {"one", "two"};
  EXPECT_THAT(result_from_json(to_json(result)).warnings, ElementsAre("one", "two"));
  EXPECT_FALSE(result_from_json(to_json(result)).has_collapsed);
  result.has_collapsed = true;
  EXPECT_TRUE(result_from_json(to_json(result)).has_collapsed);
}

TEST(Warnings, CountTheTasksNotLearntAndNameTheFirst) {
  RunResult result;
  result.accuracy = {{0.9, 0.1, 0.1}, {0.9, 0.1, 0.1}, {0.9, 0.1, 0.105}};
  const std::vector<GuessedTest> tests(3, {1000, 0.1});
  const std::vector<std::string> warnings = findings_of(result, tests).warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("2 of 3 tasks not learnt: after training on task 2"));
}

TEST(Warnings, ATaskThatWasLearntAndForgottenIsNoneOfThem) {
  RunResult result;
  result.accuracy = {{0.9, 0.1}, {0.1, 0.9}};
  EXPECT_THAT(findings_of(result, std::vector<GuessedTest>(2, {1000, 0.1})).warnings, IsEmpty());
}

TEST(Warnings, ACollapseInTheMiddleIsNoticedAndNamesTheFall) {
  RunResult result;
  result.accuracy = {{0.9, 0.1, 0.1}, {0.7, 0.9, 0.1}, {0.1, 0.1, 0.101}};
  const Findings findings = findings_of(result, std::vector<GuessedTest>(3, {1000, 0.1}));
  EXPECT_TRUE(findings.has_collapsed);
  ASSERT_EQ(findings.warnings.size(), 1u);
  EXPECT_THAT(findings.warnings[0],
              HasSubstr("collapsed in task 3: accuracy on the tasks before it fell from 80.0 % to "
                        "10.0 %, and 1 of 3 tasks were not learnt; try a lower `lr`"));
}

TEST(Warnings, ACollapseThatStaysAboveGuessingIsOneToo) {
  RunResult result;
  result.accuracy = {{0.9, 0.1}, {0.2, 0.1}};  // half-way is 50 %
  const Findings findings = findings_of(result, std::vector<GuessedTest>(2, {1000, 0.1}));
  EXPECT_TRUE(findings.has_collapsed);
  ASSERT_EQ(findings.warnings.size(), 1u);
  EXPECT_THAT(findings.warnings[0], HasSubstr("collapsed in task 2"));
}

TEST(Warnings, OneAnswerForTheNewTaskAndAFallOfTheOthersIsACollapse) {
  RunResult result;
  result.accuracy = {{0.9, 0.1}, {0.2, 0.2}};
  const std::vector<GuessedTest> tests(2, {1000, 0.1});
  EXPECT_THAT(findings_of(result, tests, {{0.2, 0.2}, {0.9, 0.9}}).warnings, IsEmpty())
      << "20 % is better than guessing";
  EXPECT_TRUE(findings_of(result, tests, {{0.2, 0.2}, {0.9, 1}}).has_collapsed);
}

TEST(Warnings, AMoreDifficultTaskIsNoCollapse) {
  RunResult result;
  result.accuracy = {{0.99, 0.05}, {0.95, 0.45}};
  EXPECT_THAT(findings_of(result, {{100, 0.5}, {1000, 0.05}}).warnings, IsEmpty());
  result.accuracy = {{0.97, 0.5, 0.5}, {0.97, 0.7, 0.5}, {0.97, 0.7, 0.68}};
  EXPECT_THAT(findings_of(result, std::vector<GuessedTest>(3, {1000, 0.5})).warnings, IsEmpty());
}

TEST(Warnings, ANetworkThatRecoversHadACollapseButIsNotDead) {
  RunResult result;
  result.accuracy = {{0.9, 0.1, 0.1}, {0.2, 0.1, 0.1}, {0.8, 0.8, 0.9}};
  const Findings findings = findings_of(result, std::vector<GuessedTest>(3, {1000, 0.1}));
  EXPECT_FALSE(findings.has_collapsed);
  EXPECT_EQ(findings.warnings.size(), 1u);
}

TEST(Warnings, OneTaskOfManyThatIsNotLearntIsNoDeadNetwork) {
  RunResult result;
  result.accuracy = {{0.9, 0.1, 0.1}, {0.9, 0.9, 0.1}, {0.9, 0.9, 0.1}};
  const Findings findings = findings_of(result, std::vector<GuessedTest>(3, {1000, 0.1}));
  EXPECT_FALSE(findings.has_collapsed) << "the others are known";
  EXPECT_EQ(findings.warnings.size(), 1u);
}

TEST(Warnings, OneAnswerForAllImagesOfUnequalLabelsIsNoticed) {
  RunResult result;
  result.accuracy = {{0.9}};
  const std::vector<GuessedTest> tests = {{100, 0.9}};
  EXPECT_THAT(findings_of(result, tests, {{0.99}}).warnings, IsEmpty())
      << "100 images are too few to tell 90 % from guessing";
  const Findings findings = findings_of(result, tests, {{1}});
  EXPECT_TRUE(findings.has_collapsed);
  ASSERT_EQ(findings.warnings.size(), 1u);
  EXPECT_THAT(findings.warnings[0],
              HasSubstr("accuracy on it is 90.0 %, with the same label for all images; try"));
}

// Two of four tasks were not tested after they were learnt.
TEST(Warnings, KnowNothingOfTasksThatWereNotTested) {
  const std::vector<GuessedTest> tests(4, {1000, 0.1});
  RunResult result;
  result.accuracy = {{}, {0.9, 0.1, 0.1, 0.1}, {}, {0.9, 0.9, 0.9, 0.9}};
  const Findings one =
      findings_of(result, tests, {{}, {0.2, 0.2, 0.2, 0.2}, {}, {1, 0.2, 0.2, 0.2}});
  ASSERT_EQ(one.warnings.size(), 1u);
  EXPECT_THAT(one.warnings[0], HasSubstr("1 of 4 tasks not learnt: after training on task 2"));
  EXPECT_FALSE(one.has_collapsed);
  result.accuracy = {{}, {}, {}, {0.1, 0.1, 0.1, 0.9}};
  EXPECT_THAT(findings_of(result, tests).warnings, IsEmpty()) << "forgotten, not dead";
}

TEST(Warnings, ADeadNetworkIsNoticedInTheLastRowAlone) {
  const std::vector<GuessedTest> tests(3, {1000, 0.1});
  RunResult result;
  result.accuracy = {{}, {}, {0.1, 0.1, 0.101}};
  const Findings findings = findings_of(result, tests);
  EXPECT_TRUE(findings.has_collapsed);
  ASSERT_EQ(findings.warnings.size(), 1u);
  EXPECT_THAT(findings.warnings[0], HasSubstr("after training on task 3"));
}

TEST(Warnings, ACollapseIsSeenWithoutTheTasksToCome) {
  RunResult result;
  result.accuracy = {{0.9, 0.1}, {0.7, 0.9, 0.1}, {0.1, 0.1, 0.101}};
  EXPECT_TRUE(findings_of(result, std::vector<GuessedTest>(3, {1000, 0.1})).has_collapsed);
}

TEST(Warnings, SearchesWithoutALiveCandidateAreCounted) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  RunResult result;
  result.accuracy = {{0.9, 0.1}, {0.9, 0.9}};
  result.decisions = {{1, {4}, 8, {{{4}, {kInfinity, 0}}, {{2}, {kInfinity, 0}}}}, {2, {2}, 4, {}}};
  const std::vector<GuessedTest> tests(2, {1000, 0.1});
  const Findings findings = findings_of(result, tests);
  EXPECT_FALSE(findings.has_collapsed);
  ASSERT_EQ(findings.warnings.size(), 1u);
  EXPECT_THAT(findings.warnings[0],
              StartsWith("after 1 of 2 tasks every simulation failed, so gps took "
                         "the middle of the range; try "));
  EXPECT_THAT(failed_simulations({result.decisions.data(), 1}),
              StartsWith("every simulation failed, so gps took"));
  result.decisions[0].trials[1].outcome = {2.3, 0.1};
  EXPECT_THAT(findings_of(result, tests).warnings, IsEmpty());
}

}  // namespace warnings_test
}  // namespace gps
