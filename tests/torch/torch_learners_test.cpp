// Learners and policies on a network with batch normalisation.
#include <gtest/gtest.h>

#include <set>

#include "experiments/tiny_run.h"
#include "gps/experiments/spec/presets.h"
#include "torch/networks.h"

namespace gps {
namespace torch_learners_test {

Spec convnet_spec(const std::string& learner, const std::string& policy) {
  Spec spec = testing::tiny_split_spec(policy);
  spec.learner.name = learner;
  apply_preset(spec, "paper");
  spec.learner.learning_rate = 0.05f;
  spec.learner.settings["anchor_steps"] = 2;
  spec.learner.settings["directions"] = 5;
  spec.training = {/*epochs=*/6, /*batch=*/10};
  spec.network = testing::tiny_network("convnet");
  spec.network.width = 8;
  return spec;
}

// Each learner with its own policy, and er with each policy. All pairs are tested with the MLP, in
// tests/experiments.
TEST(ConvNetRuns, LearnUnderEveryLearnerAndEveryPolicy) {
  std::set<std::pair<std::string, std::string>> pairs;
  for (const std::string& learner : names(learner_catalog()))
    pairs.emplace(learner, default_policy(learner));
  for (const std::string& policy : names(policy_catalog())) pairs.emplace("er", policy);
  for (const auto& [learner, policy] : pairs) {
    const RunResult result = testing::tiny_split_run(convnet_spec(learner, policy));
    // Guessing gets half of 200 right, with a deviation of 0.035; four of them make 0.64.
    if (learner != "ogd" && learner != "oewc" && learner != "sgd") {
      EXPECT_GT(result.metrics.average_accuracy(), 0.64) << learner << " " << policy;
    }
    EXPECT_GT(result.steps, 0u);
  }
}

TEST(ConvNetRuns, AreTheSameForAnyNumberOfWorkers) {
  const Spec spec = convnet_spec("er", "gps");
  const testing::TinySplitSource source(spec.benchmark, /*classes=*/10, /*per_class=*/12);
  Executor one(1);
  Executor three(3);
  EXPECT_EQ(testing::text_but_for_times(run(spec, 0, source, one)),
            testing::text_but_for_times(run(spec, 0, source, three)));
}

// f(anchors; θ_tmp) and f(anchors; θ) are the same where θ_tmp is θ, batch normalisation or not.
TEST(HalOnConvNet, AsksNothingOfAnchorsWhereTheStepIsNothing) {
  LearnerOptions options;
  options.name = "hal";
  options.settings["anchor_steps"] = 1;
  options.settings["hal_lambda"] = 1000.0;
  const Task task{1, testing::tiny_dataset(testing::kTinyClasses, 10, 1, 8)};
  Memory memory(8, testing::kTinyShape.bytes());
  Batch batch;
  batch.gather(task, std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7});
  for (std::size_t r = 0; r < batch.size(); ++r)
    memory.add(memory.make_example(batch, r, Part::reservoir));
  options.memory_batch = 8;
  const auto network = testing::make_tiny("convnet");
  const LossTerm loss{0, batch.labels, 1};
  for (int k = 0; k < 3; ++k) network->step(batch.images, {&loss, 1}, 0.05f);
  options.learning_rate = 1e-30f;  // which changes no weight
  const auto learner = make_learner(options, network->clone());
  Rng rng(1);
  const double plain = learner->observe(batch, memory, rng);
  learner->end_task(task, memory, rng);  // from here on there are anchors
  EXPECT_NEAR(learner->observe(batch, memory, rng), plain, 1e-5);
}

}  // namespace torch_learners_test
}  // namespace gps
