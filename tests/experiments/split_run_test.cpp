// Runs over a stream that divides its classes among the tasks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/tiny_run.h"

namespace gps {
namespace split_run_test {

using ::testing::ElementsAre;
using testing::text_but_for_times;
using testing::tiny_run;
using testing::tiny_spec;
using testing::tiny_split_run;
using testing::tiny_split_spec;
using testing::total;

constexpr double kChanceInTask = 0.5;
constexpr double kChanceAmongAll = 0.1;

Spec without_memory(const std::string& learner) {
  Spec spec = tiny_split_spec("none");
  spec.learner.name = learner;
  return spec;
}

TEST(SplitRun, EveryPolicyRemembersTheTasksBetterThanChance) {
  for (const std::string& policy : names(policy_catalog())) {
    const RunResult result = tiny_split_run(tiny_split_spec(policy));
    EXPECT_GT(result.metrics.average_accuracy(), kChanceInTask + 0.2) << policy;
    EXPECT_GT(result.class_incremental.value().metrics.average_accuracy(), 3 * kChanceAmongAll)
        << policy;
  }
}

TEST(SplitRun, EveryFutureLetsGpsLearn) {
  for (const std::string& future : names(future_catalog())) {
    const RunResult result = tiny_split_run(tiny_split_spec("gps:" + future + "/balanced"));
    EXPECT_GT(result.metrics.average_accuracy(), kChanceInTask + 0.2) << future;
    EXPECT_EQ(result.decisions.size(), 5u) << future;
  }
}

TEST(SplitRun, EveryLearnerHasBothAccuracies) {
  for (const std::string& learner : names(learner_catalog())) {
    Spec spec = replays(learner) ? tiny_split_spec("reservoir") : without_memory(learner);
    spec.learner.name = learner;
    const RunResult result = tiny_split_run(spec);
    ASSERT_TRUE(result.class_incremental.has_value()) << learner;
    EXPECT_EQ(result.class_incremental->accuracy.size(), result.accuracy.size()) << learner;
    EXPECT_EQ(result.accuracy.size(), learner == "joint" ? 1u : 5u) << learner;
  }
}

TEST(SplitRun, AccuracyAmongTheTasksClassesIsNeverBelowThatAmongAll) {
  const RunResult result = tiny_split_run(tiny_split_spec("reservoir"));
  const ClassIncremental& among_all = result.class_incremental.value();
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_GE(result.accuracy_at_initialisation[j], among_all.accuracy_at_initialisation[j]);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_GE(result.accuracy[i][j], among_all.accuracy[i][j]);
  }
}

// Whoever trains on two classes with a softmax over ten takes everything for one of the two.
TEST(SplitRun, AmongAllClassesPlainDescentKnowsTheLastTaskOnly) {
  const RunResult result = tiny_split_run(without_memory("sgd"));
  const ClassIncremental& among_all = result.class_incremental.value();
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_GT(among_all.accuracy[i][i], 0.9);
    for (std::size_t j = i + 1; j < 5; ++j) EXPECT_EQ(among_all.accuracy[i][j], 0);
  }
  EXPECT_LT(among_all.metrics.average_accuracy(), 0.4);
  EXPECT_GT(result.metrics.average_accuracy(), among_all.metrics.average_accuracy() + 0.2);
}

TEST(SplitRun, MetricsAreThoseOfTheirMatrix) {
  const RunResult result = tiny_split_run(tiny_split_spec("ring-full"));
  const ClassIncremental& among_all = result.class_incremental.value();
  const Metrics expected =
      compute_metrics(among_all.accuracy, among_all.accuracy_at_initialisation);
  EXPECT_EQ(among_all.metrics.average_accuracy(), expected.average_accuracy());
  EXPECT_EQ(among_all.metrics["forgetting"], expected["forgetting"]);
  EXPECT_EQ(among_all.metrics["forward_transfer"], expected["forward_transfer"]);
  EXPECT_EQ(result.metrics.average_accuracy(),
            compute_metrics(result.accuracy, result.accuracy_at_initialisation).average_accuracy());
}

TEST(SplitRun, SaysWhichLabelsEachTaskHad) {
  EXPECT_THAT(tiny_split_run(tiny_split_spec("reservoir")).labels,
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4, 5),
                          ElementsAre(6, 7), ElementsAre(8, 9)));
}

TEST(SplitRun, RingsGiveSlotsToTheClassesOfTheirTaskOnly) {
  for (const std::string policy : {"ring-full:deal", "ring-full:floor", "mixed:1"}) {
    Spec spec = tiny_split_spec(policy);
    spec.memory = 20;
    const RunResult result = tiny_split_run(spec);
    for (const TaskShare& share : result.memory.back()) {
      for (const Label label : result.labels[static_cast<std::size_t>(share.task) - 1])
        EXPECT_EQ(share.ring[label], 2u) << policy << ", task " << share.task;
      EXPECT_EQ(total(share.ring), 4u) << policy << ", task " << share.task;
    }
  }
}

TEST(SplitRun, GivesTheSameResultForTheSameSeedAndAnyNumberOfWorkers) {
  const Spec spec = tiny_split_spec("gps");
  const std::string expected = text_but_for_times(tiny_split_run(spec, 3));
  for (const int workers : {1, 3}) {
    Executor executor(workers);
    const testing::TinySplitSource source(spec.benchmark, 10, 12);
    EXPECT_EQ(text_but_for_times(run(spec, 3, source, executor)), expected);
  }
  EXPECT_NE(text_but_for_times(tiny_split_run(spec, 4)), expected);
}

TEST(SplitRun, StreamsInWhichAllTasksHaveAllClassesHaveOneAccuracyOnly) {
  const RunResult result = tiny_run(tiny_spec("reservoir"));
  EXPECT_FALSE(result.class_incremental.has_value());
  EXPECT_TRUE(result.labels.empty());
}

}  // namespace split_run_test
}  // namespace gps
