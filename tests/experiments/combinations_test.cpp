// Every learner that replays, under every policy, real and simulated: the frame of section 6.6.
#include <gtest/gtest.h>

#include "experiments/tiny_run.h"
#include "gps/experiments/spec/presets.h"
#include "gps/nn/mlp/fused_mlp.h"
#include "support/test_names.h"

namespace gps {
namespace combinations_test {

using testing::text_but_for_times;

struct Combination {
  std::string learner;
  std::string policy;
};

std::vector<Combination> combinations() {
  std::vector<std::string> policies = names(policy_catalog());
  for (const char* variant : {"mixed:1/cur", "gps:rotation", "gps:offline", "gps:cur",
                              "ring-full:floor", "gradient:greedy"}) {
    policies.emplace_back(variant);
  }
  std::vector<Combination> all;
  for (const std::string& learner : names(learner_catalog())) {
    if (!replays(learner)) continue;
    for (const std::string& policy : policies) all.push_back({learner, policy});
  }
  return all;
}

class Combinations : public ::testing::TestWithParam<Combination> {
 protected:
  // Five tasks of two classes, which every learner can learn: chance is a half.
  static Spec spec() {
    Spec spec = testing::tiny_split_spec(GetParam().policy);
    spec.learner.name = GetParam().learner;
    const TrainOptions training{/*epochs=*/6, /*batch=*/10};
    apply_preset(spec, "paper");
    spec.training = training;
    return spec;
  }
  static RunResult result(int workers) {
    Executor executor(workers);
    const testing::TinySplitSource source(spec().benchmark, /*classes=*/10, /*per_class=*/12);
    return run(spec(), 0, source, executor);
  }
};

TEST_P(Combinations, LearnsWithinItsMemoryAndIsTheSameForAnyNumberOfWorkers) {
  const RunResult alone = result(1);
  // Guessing gets half of 200 right, with a deviation of 0.035; four of them make 0.64.
  EXPECT_GT(alone.metrics.average_accuracy(), 0.64);
  for (const Composition& after_task : alone.memory) {
    std::size_t stored = 0;
    for (const TaskShare& share : after_task) {
      stored = std::accumulate(share.ring.begin(), share.ring.end(), stored);
      stored = std::accumulate(share.reservoir.begin(), share.reservoir.end(), stored);
    }
    EXPECT_LE(stored, 24u);
    EXPECT_GT(stored, 0u);
  }
  EXPECT_EQ(text_but_for_times(result(3)), text_but_for_times(alone));
}

TEST_P(Combinations, LearnsPermutedTasksToo) {
  Spec permuted = testing::tiny_spec(GetParam().policy);
  permuted.learner.name = GetParam().learner;
  permuted.memory = 40;  // a slot at least for each class of each task
  const TrainOptions training = permuted.training;
  apply_preset(permuted, "paper");
  permuted.training = training;
  if (GetParam().learner == "icarl") {
    EXPECT_THROW(validate(permuted), UsageError);
    return;
  }
  // Guessing gets a quarter of 240 right, with a deviation of 0.028; four of them make 0.36.
  EXPECT_GT(testing::tiny_run(permuted).metrics.average_accuracy(), 0.36);
}

TEST_P(Combinations, ClonesTheLearnerIndependently) {
  const testing::TinySplitSource source(spec().benchmark, 10, 12);
  const auto stream = source.stream(0);
  Executor executor(1);
  const auto policy = make_policy(spec(), outlook_of(spec().benchmark), stream.get(), executor, {});
  const auto learner =
      make_learner(spec().learner, std::make_unique<FusedMlp>(std::vector<std::size_t>{36, 32, 10},
                                                              Initialisation::xavier, Rng(1)));
  Memory memory(24, stream->shape().bytes());
  for (int i = 1; i <= 2; ++i) {
    const Rng rng = Rng(2).fork("task", i);
    train_task(*learner, *policy, memory, stream->task(i), {.epochs = 1, .batch = 10}, rng);
    finish_task(*learner, *policy, memory, stream->task(i), rng);
  }
  const auto before = network_of(*learner).parameters();
  const auto clone = learner->clone();
  Memory copy = memory;
  const auto other = make_reservoir();
  const auto go_on = [&](Learner& with, MemoryPolicy& under, Memory& in) {
    train_task(with, under, in, stream->task(3), {.epochs = 1, .batch = 10}, Rng(3));
    if (learns_at_task_end(GetParam().learner))
      finish_task(with, under, in, stream->task(3), Rng(3));
  };
  go_on(*clone, *other, copy);
  EXPECT_EQ(network_of(*learner).parameters(), before);
  EXPECT_NE(network_of(*clone).parameters(), before);
  go_on(*learner, *make_reservoir(), memory);
  EXPECT_EQ(network_of(*learner).parameters(), network_of(*clone).parameters());
}

INSTANTIATE_TEST_SUITE_P(Catalog, Combinations, ::testing::ValuesIn(combinations()),
                         [](const auto& combination) {
                           return testing::test_name(combination.param.learner) + "_" +
                                  testing::test_name(combination.param.policy);
                         });

}  // namespace combinations_test
}  // namespace gps
