// DER and DER++: what a step descends, and which logits are stored.
#include <gtest/gtest.h>

#include "gps/learners/stored_logits.h"
#include "gps/nn/mlp/fused_mlp.h"
#include "gps/policies/policy.h"
#include "gps/training/trainer.h"
#include "learners/named.h"
#include "support/tiny_data.h"

namespace gps {
namespace der_test {

constexpr int kClasses = 3;
constexpr std::size_t kBytes = 36;

std::unique_ptr<Network> network() {
  return std::make_unique<FusedMlp>(std::vector<std::size_t>{kBytes, 7, kClasses},
                                    Initialisation::pytorch, Rng(3));
}

std::vector<float> logits_of(Network& net, const std::uint8_t* image) {
  std::vector<float> logits(kClasses);
  net.logits({&image, 1}, logits);
  return logits;
}

std::vector<float> stored_logits_of(const Memory& memory) {
  std::vector<float> logits(kClasses);
  memory.read_logits(memory[0], logits);
  return logits;
}

class Der : public ::testing::Test {
 protected:
  Der() { batch.gather(task, std::vector<std::uint32_t>{0, 1, 2, 3}); }

  // A memory of one example, with these logits.
  Memory memory_of(std::uint32_t row, const std::vector<float>& logits) const {
    Memory memory(5, kBytes);
    Batch old;
    old.gather(task, {&row, 1});
    old.logits = logits;
    memory.add(memory.make_example(old, 0, Part::ring));
    return memory;
  }

  // θ after one step, by flat gradients.
  std::vector<float> by_hand(const LearnerOptions& options, const Memory& memory,
                             const std::vector<float>& targets) const {
    const auto net = network();
    const LossTerm now{0, batch.labels, 1};
    net->accumulate(batch.images, {&now, 1});
    const std::uint8_t* image = memory[0].image.get();
    const LossTerm match{0,       {},      testing::value_of(options, "alpha"), Loss::squared_error,
                         targets, kClasses};
    net->accumulate({&image, 1}, {&match, 1});
    if (options.name == "der++") {
      const Label label = memory[0].label;
      const LossTerm again{0, {&label, 1}, testing::value_of(options, "beta")};
      net->accumulate({&image, 1}, {&again, 1});
    }
    net->descend(options.learning_rate);
    return net->parameters();
  }

  Task task{2, testing::tiny_dataset(kClasses, 10, 1)};
  Batch batch;
};

TEST_F(Der, DescendsCrossEntropyAndTheSquaredErrorOfLogits) {
  for (const char* name : {"der", "der++"}) {
    LearnerOptions options;
    options.name = name;
    options.settings["alpha"] = 0.7;
    options.settings["beta"] = 0.4;
    const std::vector<float> targets = {0.5f, -1.0f, 2.0f};
    const Memory memory = memory_of(12, targets);
    const auto learner = make_learner(options, network());
    Rng rng(4);
    learner->observe(batch, memory, rng);
    const auto ours = network_of(*learner).parameters();
    const auto expected = by_hand(options, memory, targets);
    for (std::size_t k = 0; k < ours.size(); ++k) ASSERT_NEAR(ours[k], expected[k], 1e-6) << name;
  }
}

TEST_F(Der, MatchesNothingWhereTheNetworkStillSaysTheSame) {
  const auto net = network();
  std::vector<std::uint32_t> row = {12};
  Batch old;
  old.gather(task, row);
  const Memory memory = memory_of(12, logits_of(*net, old.images[0]));
  LearnerOptions options;
  options.name = "der";
  const auto der = make_learner(options, network());
  const auto sgd = testing::make_named("sgd", options, network());
  Rng rng(4);
  EXPECT_NEAR(der->observe(batch, memory, rng), sgd->observe(batch, memory, rng), 1e-6);
  const auto ours = network_of(*der).parameters();
  const auto expected = network_of(*sgd).parameters();
  for (std::size_t k = 0; k < ours.size(); ++k) ASSERT_NEAR(ours[k], expected[k], 1e-6);
}

// What the memory holds after a task, as (logits stored, logits of the network at the end).
std::pair<std::vector<float>, std::vector<float>> stored_and_final(const char* when,
                                                                   MemoryPolicy& policy) {
  LearnerOptions options;
  options.name = "der";
  options.settings["der_logits"] = when;
  const auto learner = make_learner(options, network());
  const Task task{1, testing::tiny_dataset(kClasses, 10, 1)};
  Memory memory(1, kBytes);
  train_task(*learner, policy, memory, task, {.epochs = 3, .batch = 10}, Rng(1));
  finish_task(*learner, policy, memory, task, Rng(1));
  EXPECT_NE(memory[0].logits, nullptr);
  return {stored_logits_of(memory), logits_of(network_of(*learner), memory[0].image.get())};
}

TEST_F(Der, StoresTheLogitsOfTheStepByDefault) {
  const auto [stored, at_end] = stored_and_final("step", *make_reservoir());
  EXPECT_NE(stored, at_end);
}

TEST_F(Der, StoresTheLogitsAtTheEndOfTheTaskWhereAskedTo) {
  const auto [stored, at_end] = stored_and_final("task-end", *make_reservoir());
  EXPECT_EQ(stored, at_end);
}

TEST_F(Der, NeverRefreshesLogits) {
  const std::vector<float> old = {1, 2, 3};
  Memory memory = memory_of(12, old);
  LearnerOptions options;
  options.name = "der";
  const auto learner = make_learner(options, network());
  store_missing_logits(memory, *learner);
  EXPECT_EQ(stored_logits_of(memory), old);
}

// What a step matches is what the memory kept of the logits, in whatever format.
TEST_F(Der, MatchesWhatIsKeptOfTheLogits) {
  const std::vector<float> exact = {0.123f, -1.7f, 2.9f};
  LearnerOptions options;
  options.name = "der";
  for (const LogitsFormat format : {LogitsFormat::float16, LogitsFormat::int8}) {
    Memory memory(5, task.train.shape(), {}, {raw_codec(), format});
    Batch old;
    const std::uint32_t row = 12;
    old.gather(task, {&row, 1});
    old.logits = exact;
    memory.add(memory.make_example(old, 0, Part::ring));
    const std::vector<float> kept = stored_logits_of(memory);
    EXPECT_NE(kept, exact);
    const auto learner = make_learner(options, network());
    Rng rng(4);
    learner->observe(batch, memory, rng);
    const auto ours = network_of(*learner).parameters();
    options.settings["alpha"] = 0.5;
    const auto expected = by_hand(options, memory, kept);
    for (std::size_t k = 0; k < ours.size(); ++k) ASSERT_NEAR(ours[k], expected[k], 1e-6);
  }
}

TEST_F(Der, HasTheFormatOfItsLogitsAsAnOption) {
  for (const LearnerEntry& entry : learner_catalog()) {
    LearnerOptions options;
    options.name = entry.name;
    const bool stores = entry.name.starts_with("der");
    EXPECT_EQ(stored_logits_format(options).has_value(), stores) << entry.name;
    if (!stores) continue;
    EXPECT_EQ(stored_logits_format(options), LogitsFormat::float32);
    options.settings["logits"] = "int8";
    EXPECT_EQ(stored_logits_format(options), LogitsFormat::int8);
  }
}

}  // namespace der_test
}  // namespace gps
