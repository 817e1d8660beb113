#include "gps/report/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gps/experiments/spec/presets.h"
#include "gps/report/tables/table.h"

namespace gps {
namespace labels_test {

using ::testing::ElementsAre;

Spec spec_of(const std::string& learner, const std::string& policy, int memory = 1000) {
  Spec spec;
  spec.learner.name = learner;
  spec.memory = memory;
  spec.policy.name = policy;
  if (policy != "none") set_policy(spec.policy, policy);
  return spec;
}

RunResult result_of(const Spec& spec) {
  RunResult result;
  result.spec = spec;
  return result;
}

TEST(Labels, NameLearnerAndPolicyAndAsLittleMoreAsTellsThemApart) {
  EXPECT_THAT(distinct_labels({spec_of("er", "gps"), spec_of("sgd", "none")}),
              ElementsAre("er gps:permutation", "sgd"));
  EXPECT_THAT(distinct_labels({spec_of("er", "gps", 100), spec_of("er", "gps", 200),
                               spec_of("er", "reservoir", 100), spec_of("er", "gps", 100)}),
              ElementsAre("er gps:permutation memory=100", "er gps:permutation memory=200",
                          "er reservoir", "er gps:permutation memory=100"));
  Spec fashion = spec_of("er", "reservoir");
  fashion.benchmark.name = "p-fashion-mnist";
  EXPECT_THAT(distinct_labels({spec_of("er", "reservoir"), fashion}),
              ElementsAre("p-mnist er reservoir", "p-fashion-mnist er reservoir"));
}

TEST(Labels, SettingsAreWhatCanBeCompared) {
  const auto groups = by_setting(
      {result_of(spec_of("sgd", "none")), result_of(spec_of("er", "gps", 100)),
       result_of(spec_of("er", "reservoir", 200)), result_of(spec_of("der", "reservoir", 100))});
  std::vector<std::string> shown;
  for (const ComparableResults& group : groups)
    shown.push_back(group.title + ": " + std::to_string(group.results.size()));
  EXPECT_THAT(shown,
              ElementsAre("p-mnist, 10 tasks, memory 100: 3", "p-mnist, 10 tasks, memory 200: 2"))
      << "sgd goes with both";
}

// Codecs are compared at equal bytes, so they are lines of one setting.
TEST(Labels, AMemoryInBytesIsASettingOfItsOwn) {
  Spec raw = spec_of("er", "reservoir");
  raw.memory_bytes = 784'000;
  Spec coarse = raw;
  coarse.codec = "bits:1";
  const auto groups =
      by_setting({result_of(raw), result_of(coarse), result_of(spec_of("er", "reservoir", 1000))});
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].title, "p-mnist, 10 tasks, memory 784kB");
  EXPECT_EQ(groups[0].results.size(), 2u);
  EXPECT_EQ(groups[1].title, "p-mnist, 10 tasks, memory 1000");
  EXPECT_THAT(distinct_labels({raw, coarse}),
              ElementsAre("er reservoir", "er reservoir codec=bits:1"));
  EXPECT_EQ(memory_in(to_json(spec_of("sgd", "none"))), nlohmann::json());
  EXPECT_EQ(memory_in("no spec"), nlohmann::json()) << "of a damaged row";
}

TEST(Labels, SayWhatIsStored) {
  RunResult result = result_of(spec_of("er", "mixed"));
  EXPECT_EQ(stored_text(result), "") << "older results do not say it";
  result.memory = {{{1, {9, 9}, {9, 9}}}, {{1, {1, 2}, {3, 0}}, {2, {0, 0}, {4, 5}}}};
  result.memory_bytes = 1590;
  EXPECT_EQ(stored_text(result), "15 images in 1590 bytes");
}

TEST(Labels, SettingsSayWhatElseDiffers) {
  Spec longer = spec_of("er", "reservoir");
  longer.training.epochs = 1;
  const auto groups = by_setting({result_of(spec_of("er", "reservoir")), result_of(longer)});
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].title, "p-mnist, 10 tasks, memory 1000, epochs 5");
  EXPECT_EQ(groups[1].title, "p-mnist, 10 tasks, memory 1000, epochs 1");
}

// Who reads a table should not take a run of 500 examples for a full one.
TEST(Labels, SettingsSayWhatIsUnusualAlsoIfAllRunsShareIt) {
  Spec small = spec_of("er", "reservoir");
  small.training.epochs = 1;
  small.benchmark.examples_per_task = 500;
  small.network.hidden = {16, 8};
  const auto groups = by_setting({result_of(small)});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].title,
            "p-mnist, 10 tasks, memory 1000, epochs 1, examples per task 500, hidden 16,8");
  Spec cifar = preset_spec("paper", "s-cifar-10", "er", 200);
  EXPECT_EQ(by_setting({result_of(cifar)})[0].title, "s-cifar-10, 5 tasks, memory 200")
      << "50 epochs are usual there";
}

Spec planned(const std::string& knobs, int memory = 1000) {
  Spec spec = spec_of("er", "reservoir", memory);
  spec.planning.knobs = knobs;
  return spec;
}

TEST(Labels, ThatArePlansDoNotShowWhatWasPlanned) {
  EXPECT_THAT(distinct_labels({planned("all"), spec_of("er", "reservoir"), planned("lr,length")}),
              ElementsAre("plan", "er reservoir", "plan:lr+length er reservoir"));
  EXPECT_THAT(distinct_labels({planned("all", 100), planned("all", 200)}),
              ElementsAre("plan memory=100", "plan memory=200"));
  Spec longer = planned("all", 200);  // its length is planned, so only the memory tells them apart
  longer.training.epochs = 1;
  EXPECT_THAT(distinct_labels({planned("all", 100), longer}),
              ElementsAre("plan memory=100", "plan memory=200"));
  Spec first_only = planned("all");
  first_only.planning.horizon = 1;
  EXPECT_THAT(distinct_labels({planned("all"), first_only}),
              ElementsAre("plan", "plan plan_tasks=1"));
}

TEST(Labels, OfPlansThatDifferOnlyInWhereTheyStartSayThat) {
  Spec shorter = planned("all");
  shorter.training.epochs = 1;
  EXPECT_THAT(distinct_labels({planned("all"), shorter}),
              ElementsAre("plan from epochs=5", "plan from epochs=1"));
}

TEST(Labels, APlannedLengthStandsBesideRunsOfEveryLength) {
  Spec shorter = spec_of("er", "reservoir");
  shorter.training.epochs = 1;
  const auto shown = [](const std::vector<RunResult>& results) {
    std::vector<std::string> titles;
    for (const ComparableResults& group : by_setting(results))
      titles.push_back(group.title + ": " + std::to_string(group.results.size()));
    return titles;
  };
  EXPECT_THAT(
      shown({result_of(planned("all")), result_of(spec_of("er", "reservoir")), result_of(shorter)}),
      ElementsAre("p-mnist, 10 tasks, memory 1000, epochs 5: 2",
                  "p-mnist, 10 tasks, memory 1000, epochs 1: 2"));
  EXPECT_THAT(shown({result_of(planned("lr")), result_of(shorter)}),
              ElementsAre("p-mnist, 10 tasks, memory 1000, epochs 5: 1",
                          "p-mnist, 10 tasks, memory 1000, epochs 1: 1"))
      << "its length is as given";
}

TEST(Labels, ALengthThatWasNotUsedIsInNoTitle) {
  Spec alone = planned("all");
  alone.training.epochs = 1;
  EXPECT_EQ(by_setting({result_of(alone)})[0].title, "p-mnist, 10 tasks, memory 1000");
  Spec other = spec_of("er", "reservoir", 100);  // of another setting, of the usual length
  const auto groups = by_setting({result_of(alone), result_of(other)});
  ASSERT_EQ(groups.size(), 2u);
  for (const ComparableResults& group : groups)
    EXPECT_THAT(group.title, ::testing::Not(::testing::HasSubstr("epochs")));
}

TEST(Labels, APlanStandsBesideLearnersWithoutAMemory) {
  const auto groups =
      by_setting({result_of(planned("all", 100)), result_of(spec_of("sgd", "none"))});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].title, "p-mnist, 10 tasks, memory 100");
  EXPECT_EQ(groups[0].results.size(), 2u);
}

}  // namespace labels_test
}  // namespace gps
