#include "gps/experiments/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "experiments/tiny_run.h"

namespace gps {
namespace run_test {

using testing::text_but_for_times;
using testing::tiny_run;
using testing::tiny_spec;
using testing::tiny_spec_without_memory;
using testing::TinySource;

constexpr double kChance = 0.25;

TEST(Run, EveryPolicyLearnsTheTasksAndRemembersThemBetterThanChance) {
  for (const std::string& policy : names(policy_catalog())) {
    const RunResult result = tiny_run(tiny_spec(policy));
    EXPECT_GT(result.metrics["learning_accuracy"].value(), 0.8) << policy;
    EXPECT_GT(result.metrics.average_accuracy(), 2 * kChance) << policy;
  }
}

TEST(Run, EveryFutureLetsGpsLearn) {
  for (const std::string& future : names(future_catalog())) {
    const RunResult result = tiny_run(tiny_spec("gps:" + future));
    EXPECT_GT(result.metrics.average_accuracy(), 2 * kChance) << future;
  }
}

TEST(Run, EveryLearnerBeatsChance) {
  for (const std::string& learner : names(learner_catalog())) {
    if (learner == "icarl") continue;  // which needs tasks that bring new classes
    Spec spec = replays(learner) ? tiny_spec("reservoir") : tiny_spec_without_memory(learner);
    spec.learner.name = learner;
    EXPECT_GT(tiny_run(spec).metrics.average_accuracy(), kChance + 0.1) << learner;
  }
}

TEST(Run, ReplayBeatsPlainDescentAndLearningAllAtOnceBeatsReplay) {
  for (const std::uint64_t seed : {0u, 1u, 2u}) {
    const auto accuracy_of = [&](Spec spec) {
      spec.benchmark.tasks = 10;
      if (spec.policy.name != "none") spec.memory = 60;
      return tiny_run(spec, seed).metrics.average_accuracy();
    };
    const double sgd = accuracy_of(tiny_spec_without_memory("sgd"));
    const double er = accuracy_of(tiny_spec("reservoir"));
    const double joint = accuracy_of(tiny_spec_without_memory("joint"));
    EXPECT_GT(er, sgd + 0.05) << "seed " << seed;
    EXPECT_GE(joint, er) << "seed " << seed;
  }
}

TEST(Run, TheAccuracyMatrixHasARowATaskAndAColumnATask) {
  const RunResult result = tiny_run(tiny_spec("reservoir"));
  ASSERT_EQ(result.accuracy.size(), 3u);
  ASSERT_EQ(result.class_accuracy.size(), 3u);
  EXPECT_EQ(result.accuracy_at_initialisation.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(result.accuracy[i].size(), 3u);
    EXPECT_EQ(result.class_accuracy[i].size(), 3u);
    for (const double value : result.accuracy[i]) {
      EXPECT_GE(value, 0);
      EXPECT_LE(value, 1);
    }
  }
}

TEST(Run, JointLearningHasOneRowOverAllTasks) {
  const RunResult result = tiny_run(tiny_spec_without_memory("joint"));
  ASSERT_EQ(result.accuracy.size(), 1u);
  EXPECT_EQ(result.accuracy.front().size(), 3u);
  EXPECT_FALSE(result.metrics["forgetting"].has_value());
}

TEST(Run, MetricsAreThoseOfTheMatrix) {
  const RunResult result = tiny_run(tiny_spec("hybrid"));
  const Metrics expected = compute_metrics(result.accuracy, result.accuracy_at_initialisation);
  EXPECT_EQ(result.metrics.average_accuracy(), expected.average_accuracy());
  EXPECT_EQ(result.metrics["forward_transfer"], expected["forward_transfer"]);
  EXPECT_EQ(result.metrics["forgetting"], expected["forgetting"]);
  double by_class = 0;
  for (const double value : result.class_accuracy.back()) by_class += value / 3;
  EXPECT_NEAR(result.metrics["average_class_accuracy"].value(), by_class, 1e-12);
}

TEST(Run, CountsRealStepsWithTheRaggedLastBatch) {
  // 55 examples in batches of 10: six steps a pass; four passes over each of three tasks.
  Spec spec = tiny_spec("gps");
  spec.benchmark.examples_per_task = 55;
  EXPECT_EQ(tiny_run(spec).steps, 3u * 4u * 6u);
  // All at once: 165 examples, seventeen steps a pass.
  Spec joint = tiny_spec_without_memory("joint");
  joint.benchmark.examples_per_task = 55;
  EXPECT_EQ(tiny_run(joint).steps, 4u * 17u);
}

// The rows that are tested are those of a run that tests all, and nothing else changes.
void expect_rows_of(const RunResult& whole, const Spec& spec,
                    const std::vector<std::size_t>& lengths) {
  const RunResult result = tiny_run(spec);
  ASSERT_EQ(result.accuracy.size(), lengths.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    std::vector<double> expected = whole.accuracy[i];
    expected.resize(lengths[i]);
    EXPECT_EQ(result.accuracy[i], expected) << spec.evaluation.when << ", row " << i + 1;
    EXPECT_EQ(result.class_accuracy[i].size(), lengths[i]);
  }
  EXPECT_EQ(result.metrics.average_accuracy(), whole.metrics.average_accuracy());
  EXPECT_EQ(result.metrics["average_class_accuracy"], whole.metrics["average_class_accuracy"]);
  EXPECT_EQ(result.memory_bytes, whole.memory_bytes);
}

TEST(Run, TestsWhatItIsToldTo) {
  const RunResult whole = tiny_run(tiny_spec("gps"));
  Spec spec = tiny_spec("gps");
  spec.evaluation.when = "last";
  expect_rows_of(whole, spec, {0, 0, 3});
  EXPECT_TRUE(tiny_run(spec).accuracy_at_initialisation.empty());
  EXPECT_EQ(tiny_run(spec).metrics["forgetting"], std::nullopt);
  EXPECT_EQ(tiny_run(spec).metrics["learning_accuracy"], std::nullopt);
  spec.evaluation.when = "2";
  expect_rows_of(whole, spec, {0, 3, 3});
  EXPECT_TRUE(tiny_run(spec).accuracy_at_initialisation.empty());
  spec.evaluation.when = "seen";
  expect_rows_of(whole, spec, {2, 3, 3});
  for (const Metric& metric : metric_catalog())
    EXPECT_EQ(tiny_run(spec).metrics[metric.name], whole.metrics[metric.name]) << metric.name;
}

TEST(Run, TheMetricsOfWhatWasNotTestedAreNullInJson) {
  Spec spec = tiny_spec("reservoir");
  spec.evaluation.when = "last";
  const nlohmann::json json = to_json(tiny_run(spec));
  EXPECT_EQ(json.at("spec").at("evaluate"), "last");
  EXPECT_TRUE(json.at("accuracy").at(0).empty());
  EXPECT_EQ(json.at("accuracy").at(2).size(), 3u);
  EXPECT_TRUE(json.at("accuracy_at_initialisation").empty());
  EXPECT_TRUE(json.at("metrics").at("average_accuracy").is_number());
  for (const char* name : {"learning_accuracy", "backward_transfer", "forward_transfer",
                           "forgetting", "average_incremental_accuracy"})
    EXPECT_TRUE(json.at("metrics").at(name).is_null()) << name;
}

TEST(Run, ASpecThatTestsAsUsualDoesNotSaySo) {
  const nlohmann::json json = to_json(tiny_spec("reservoir"));
  EXPECT_FALSE(json.contains("evaluate"));
  EXPECT_FALSE(json.contains("test_images"));
}

TEST(Run, JointLearningTestsAfterItsOnlyStage) {
  Spec spec = tiny_spec_without_memory("joint");
  spec.evaluation.when = "last";
  const RunResult result = tiny_run(spec);
  ASSERT_EQ(result.accuracy.size(), 1u);
  EXPECT_EQ(result.accuracy.front(), tiny_run(tiny_spec_without_memory("joint")).accuracy.front());
}

// The test sets have 80 images. With 16 of them, accuracies are sixteenths.
TEST(Run, TestsOnAsManyImagesAsItIsTold) {
  Spec spec = tiny_spec("reservoir");
  spec.evaluation.test_images = 16;
  const RunResult result = tiny_run(spec);
  for (const std::vector<double>& row : result.accuracy) {
    for (const double value : row) EXPECT_EQ(16 * value, std::round(16 * value));
  }
  EXPECT_EQ(text_but_for_times(tiny_run(spec)), text_but_for_times(result));
  spec.evaluation.test_images = 80;
  EXPECT_EQ(tiny_run(spec).accuracy, tiny_run(tiny_spec("reservoir")).accuracy);
}

TEST(Run, SaysAnAccuracyOnlyAfterTasksThatItTests) {
  Spec spec = tiny_spec("reservoir");
  spec.evaluation.when = "2";
  std::vector<int> tested;
  RunHooks hooks;
  hooks.progress = [&](const RunProgress& progress) {
    if (progress.accuracy) tested.push_back(progress.task);
  };
  tiny_run(spec, 0, hooks);
  EXPECT_EQ(tested, (std::vector<int>{2, 3}));
}

TEST(Run, SaysHowManyImagesItHasTested) {
  Spec spec = tiny_spec("reservoir");
  spec.evaluation.when = "2";
  std::map<int, std::vector<std::size_t>> told;  // by task
  std::size_t tests = 0;
  RunHooks hooks;
  hooks.progress = [&](const RunProgress& progress) {
    if (!progress.is_testing) return;
    told[progress.task].push_back(progress.tested);
    tests = progress.tests;
  };
  tiny_run(spec, 0, hooks);
  ASSERT_EQ(told.size(), 2u) << "after the tasks 2 and 3";
  EXPECT_GT(tests, 0u);
  for (const auto& [task, images] : told) {
    EXPECT_EQ(images.front(), 0u) << task;
    EXPECT_EQ(images.back(), tests) << task;
  }
}

TEST(Run, GivesTheSameResultForAnyNumberOfWorkers) {
  for (const std::string policy : {"reservoir", "hybrid", "gps"}) {
    Spec spec = tiny_spec(policy);
    if (policy == "hybrid") spec.evaluation.when = "seen";
    const std::string expected = text_but_for_times(tiny_run(spec, 3));
    for (const int workers : {1, 2, 4}) {
      Executor executor(workers);
      const RunResult result = run(spec, 3, TinySource(spec.benchmark), executor);
      EXPECT_EQ(text_but_for_times(result), expected) << policy << ", " << workers << " workers";
    }
  }
}

TEST(Run, GivesTheSameResultBesideOtherRuns) {
  const Spec spec = tiny_spec("gps");
  const TinySource source(spec.benchmark);
  Executor executor(3);
  std::vector<std::string> together(4);
  executor.for_each(together.size(), [&](std::size_t seed) {
    together[seed] = text_but_for_times(run(spec, seed, source, executor));
  });
  for (std::size_t seed = 0; seed < together.size(); ++seed)
    EXPECT_EQ(together[seed], text_but_for_times(tiny_run(spec, seed))) << "seed " << seed;
}

TEST(Run, GivesTheSameResultWhetherWatchedOrNot) {
  const StopFlag never;
  std::size_t reports = 0;
  const RunHooks hooks{&never, [&](const RunProgress&) { ++reports; }};
  for (const std::string& policy : names(policy_catalog())) {
    const Spec spec = tiny_spec(policy);
    EXPECT_EQ(text_but_for_times(tiny_run(spec, 1, hooks)), text_but_for_times(tiny_run(spec, 1)))
        << policy;
  }
  EXPECT_GT(reports, 0u);
}

TEST(Run, SeedsGiveDifferentStreams) {
  const Spec spec = tiny_spec("reservoir");
  EXPECT_NE(tiny_run(spec, 0).accuracy, tiny_run(spec, 1).accuracy);
}

TEST(Run, PoliciesMeetTheSameNetworkAndTheSameStream) {
  // What no policy can have touched yet: the untrained network on every task.
  const auto expected = tiny_run(tiny_spec("reservoir")).accuracy_at_initialisation;
  for (const std::string& policy : names(policy_catalog()))
    EXPECT_EQ(tiny_run(tiny_spec(policy)).accuracy_at_initialisation, expected) << policy;
}

TEST(Run, RefusesAnImpossibleSpecBeforeItLooksAtTheStream) {
  class Untouchable final : public BenchmarkSource {
   public:
    std::unique_ptr<Benchmark> stream(std::uint64_t /*seed*/) const override {
      ADD_FAILURE() << "the stream was asked for";
      return nullptr;
    }
  };
  Spec spec = tiny_spec("reservoir");
  spec.memory = 0;
  Executor executor(1);
  EXPECT_THROW(run(spec, 0, Untouchable(), executor), UsageError);
}

TEST(Run, ALossThatIsNoNumberNamesTheRemedy) {
  Spec spec = tiny_spec("reservoir");
  spec.learner.learning_rate = 1e30f;
  try {
    tiny_run(spec);
    FAIL() << "a learning rate of 1e30 went unnoticed";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("smaller learning rate"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("task 1"));
  }
}

}  // namespace run_test
}  // namespace gps
