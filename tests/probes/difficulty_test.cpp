#include "gps/probes/difficulty.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/tiny_run.h"
#include "gps/probes/pseudo_tasks.h"

namespace gps {
namespace difficulty_test {

using ::testing::HasSubstr;
using testing::tiny_run;
using testing::tiny_spec;
using testing::tiny_spec_without_memory;

Difficulty difficulty_of(const DifficultyOptions& options, std::uint64_t seed = 0,
                         int workers = 1) {
  Executor executor(workers);
  return analyse(options, seed, testing::TinySource(options.spec.benchmark), executor);
}

DifficultyOptions tiny_options(const std::string& source, int task = 1, int count = 3) {
  return {tiny_spec("reservoir"), source, task, count};
}

TEST(Difficulty, OfTheFirstTaskIsWhatARunOfOneTaskGives) {
  for (const std::uint64_t seed : {0u, 5u}) {
    Spec spec = tiny_spec_without_memory("sgd");
    spec.benchmark.tasks = 1;
    const RunResult run = tiny_run(spec, seed);
    EXPECT_EQ(difficulty_of(tiny_options("real"), seed).tasks[0].accuracy, run.accuracy[0][0]);
  }
}

TEST(Difficulty, OfRealTasksHasAsManyAsThereAre) {
  const Difficulty all = difficulty_of(tiny_options("real", 1, 5));
  ASSERT_EQ(all.tasks.size(), 3u);
  const Difficulty second = difficulty_of(tiny_options("real", 2, 1));
  ASSERT_EQ(second.tasks.size(), 1u);
  EXPECT_EQ(second.tasks[0].task, 2);
  EXPECT_EQ(second.tasks[0].loss, all.tasks[1].loss) << "whatever was learnt beside it";
}

TEST(Difficulty, OfPermutedTasksIsThatOfTheirOrigin) {
  // Pixels mean nothing to a network of fresh random weights, so all ten accuracies have one
  // distribution. With tests of 80 examples and accuracies p around 0.9, each has a deviation of
  // sqrt(p (1-p)/80) = 0.034, and as much again by training: 0.05. The difference of two means of
  // five then has one of 0.05 sqrt(2/5) = 0.03; four of those are 0.12.
  const auto mean = [](const Difficulty& result) {
    double sum = 0;
    for (const LearntAlone& each : result.tasks) sum += each.accuracy;
    return sum / static_cast<double>(result.tasks.size());
  };
  DifficultyOptions real = tiny_options("real", 1, 5);
  real.spec.benchmark.tasks = 5;
  DifficultyOptions permuted = real;
  permuted.source = "permutation";
  EXPECT_GT(mean(difficulty_of(real)), 0.85) << "so p is at least that";
  EXPECT_NEAR(mean(difficulty_of(permuted)), mean(difficulty_of(real)), 0.12);
}

TEST(Difficulty, IsTestedOnWhatWentThroughTheSame) {
  // Learnt and tested under different permutations, accuracy would be at chance, a quarter.
  const Difficulty permuted = difficulty_of(tiny_options("permutation", 2));
  ASSERT_EQ(permuted.tasks.size(), 3u);
  for (const LearntAlone& each : permuted.tasks) {
    EXPECT_GT(each.accuracy, 0.7);
    EXPECT_GT(each.train_accuracy, 0.7);
  }
  EXPECT_EQ(permuted.tasks[0].task, 1);
}

TEST(Difficulty, IsTheSameForAnyNumberOfThreadsAndSurvivesJson) {
  for (const std::string& source : task_sources()) {
    const Difficulty one = difficulty_of(tiny_options(source), 0, 1);
    const std::string text = to_json(one).dump();
    EXPECT_EQ(to_json(difficulty_of(tiny_options(source), 0, 3)).dump(), text);
    EXPECT_EQ(to_json(Difficulty::from_json(nlohmann::json::parse(text))).dump(), text);
  }
}

TEST(Difficulty, VariesAsThePapersTablesSay) {
  Difficulty p_mnist;
  for (const double accuracy : {97.48, 97.28, 97.33, 97.78, 97.53})
    p_mnist.tasks.push_back({0, accuracy / 100, 0, 0});
  EXPECT_NEAR(variance_of_accuracy(p_mnist), 0.03, 0.005);
  Difficulty s_cifar_100;
  for (const double accuracy : {85.70, 87.70, 88.10, 88.10, 86.20})
    s_cifar_100.tasks.push_back({0, accuracy / 100, 0, 0});
  EXPECT_NEAR(variance_of_accuracy(s_cifar_100), 1.02, 0.005);
}

TEST(DifficultyOptions, DoNotDependOnTheLearner) {
  DifficultyOptions other = tiny_options("real");
  other.spec.learner.name = "der";
  other.spec.memory = 7;
  EXPECT_EQ(to_json(other), to_json(tiny_options("real")));
}

TEST(DifficultyOptions, AreRefusedWhereThereIsNoSuchTask) {
  EXPECT_THROW(validate(tiny_options("real", 4)), UsageError);
  EXPECT_THROW(validate(tiny_options("real", 1, 0)), UsageError);
  try {
    validate(tiny_options("offline"));
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("real, permutation, rotation, blurring"));
  }
}

}  // namespace difficulty_test
}  // namespace gps
