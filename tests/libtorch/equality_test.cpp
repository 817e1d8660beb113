// The fused network beside the same network in LibTorch: every loss, gradients of single examples
// and of inputs, and several hundred steps of every learner.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gps/learners/learner.h"
#include "gps/nn/aligned_floats.h"
#include "gps/nn/mlp/fused_mlp.h"
#include "gps/training/trainer.h"
#include "libtorch/torch_mlp.h"
#include "support/test_names.h"
#include "support/tiny_data.h"

namespace gps {
namespace {

constexpr std::size_t kClasses = 4;
constexpr std::size_t kInputs = 36;
constexpr std::size_t kFeatures = 9;
const std::vector<std::size_t> kSizes = {kInputs, 11, kFeatures, kClasses};

// |a - b| <= tolerance · max(1, |b|), element by element.
void expect_close(std::span<const float> a, std::span<const float> b, float tolerance) {
  ASSERT_EQ(a.size(), b.size());
  float worst = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    worst = std::max(worst, std::abs(a[k] - b[k]) / std::max(1.0f, std::abs(b[k])));
  EXPECT_LE(worst, tolerance);
}

class Equality : public ::testing::Test {
 protected:
  Equality() {
    // Images of several densities, so that sparse and dense kernels are both used.
    std::vector<std::uint32_t> rows(12);
    for (std::uint32_t k = 0; k < rows.size(); ++k) rows[k] = k;
    batch.gather(task, rows);
    Rng draw(5);
    for (std::size_t k = 0; k < 12 * kClasses; ++k)
      targets.push_back(static_cast<float>(draw.uniform()));
    for (std::size_t k = 0; k < 12 * kFeatures; ++k)
      feature_targets.push_back(static_cast<float>(draw.uniform()));
  }

  // One of each kind, overlapping.
  std::vector<LossTerm> all_losses() const {
    const std::span<const Label> labels = batch.labels;
    const std::span<const float> values = targets;
    return {
        {0, labels.first(5), 1},
        {3, labels.subspan(3, 6), 0.7f},
        {4, {}, 0.5f, Loss::squared_error, values.first(4 * kClasses), kClasses},
        {2, {}, 0.9f, Loss::sigmoid_cross_entropy, values.first(7 * kClasses), kClasses},
        {1, labels.subspan(1, 3), 0.3f, Loss::logit},
        {6,
         {},
         0.4f,
         Loss::feature_distance,
         std::span<const float>(feature_targets).first(5 * kFeatures),
         kFeatures},
    };
  }

  Task task{1, testing::tiny_dataset(kClasses, 30, 1)};
  Batch batch;
  std::vector<float> targets;
  std::vector<float> feature_targets;
  FusedMlp fused{kSizes, Initialisation::pytorch, Rng(1)};
  std::unique_ptr<Network> torch = testing::make_torch_mlp(kSizes, fused.parameters());
};

TEST_F(Equality, LogitsAndFeatures) {
  std::vector<float> ours(batch.size() * kFeatures);
  std::vector<float> theirs(batch.size() * kFeatures);
  fused.logits(batch.images, ours);
  torch->logits(batch.images, theirs);
  expect_close(ours, theirs, 1e-5f);
  fused.features(batch.images, ours);
  torch->features(batch.images, theirs);
  expect_close(ours, theirs, 1e-5f);
}

TEST_F(Equality, LossesAndGradients) {
  for (const LossTerm& term : all_losses()) {
    SCOPED_TRACE(static_cast<int>(term.loss));
    const std::span<const LossTerm> one(&term, 1);
    EXPECT_NEAR(fused.accumulate(batch.images, one), torch->accumulate(batch.images, one), 1e-5);
    expect_close(fused.gradient(), torch->gradient(), 1e-5f);
    fused.descend(0.1f);
    torch->descend(0.1f);
    expect_close(fused.parameters(), torch->parameters(), 1e-5f);
  }
}

TEST_F(Equality, SumsOfLosses) {
  const std::vector<LossTerm> terms = all_losses();
  EXPECT_NEAR(fused.step(batch.images, terms, 0.1f), torch->step(batch.images, terms, 0.1f), 1e-5);
  expect_close(fused.parameters(), torch->parameters(), 1e-5f);
}

TEST_F(Equality, GradientsOfInputs) {
  std::vector<float> images(12 * kInputs);
  Rng draw(6);
  for (float& value : images) value = static_cast<float>(draw.uniform());
  images[3] = 0;  // whose gradient is not zero
  std::vector<float> ours(images.size());
  std::vector<float> theirs(images.size());
  const std::vector<LossTerm> terms = all_losses();
  EXPECT_NEAR(fused.input_gradient(images, terms, ours),
              torch->input_gradient(images, terms, theirs), 1e-5);
  expect_close(ours, theirs, 1e-5f);
  EXPECT_NE(ours[3], 0);
}

TEST_F(Equality, GradientsOfSingleExamples) {
  const std::vector<LossTerm> terms = all_losses();
  const auto ours = fused.no_gradients();
  const auto theirs = torch->no_gradients();
  EXPECT_NEAR(fused.example_gradients(batch.images, terms, *ours),
              torch->example_gradients(batch.images, terms, *theirs), 1e-5);
  ASSERT_EQ(ours->size(), batch.size());
  std::vector<float> our_products(batch.size() * batch.size());
  std::vector<float> their_products(batch.size() * batch.size());
  ours->inner_products(*ours, our_products);
  theirs->inner_products(*theirs, their_products);
  expect_close(our_products, their_products, 1e-5f);

  std::vector<float> factors(batch.size());
  for (std::size_t k = 0; k < factors.size(); ++k) factors[k] = 0.1f * static_cast<float>(k);
  ours->add_to(factors, fused.weights());
  theirs->add_to(factors, torch->weights());
  expect_close(fused.parameters(), torch->parameters(), 1e-5f);
  ours->add_squares_to(0.5f, fused.weights());
  theirs->add_squares_to(0.5f, torch->weights());
  expect_close(fused.parameters(), torch->parameters(), 1e-5f);
}

// Three tasks, 360 steps in all. Rounding differs from the first step on, and every step multiplies
// what there is: after some hundred steps parameters agree to three or four places.
class LearnerEquality : public ::testing::TestWithParam<std::string> {};

TEST_P(LearnerEquality, HundredsOfStepsAgree) {
  LearnerOptions options;
  options.name = GetParam();
  options.learning_rate = 0.05f;
  options.settings["directions"] = 6;
  const FusedMlp start(kSizes, Initialisation::pytorch, Rng(1));
  const auto fused = make_learner(options, start.clone());
  const auto torch = make_learner(options, testing::make_torch_mlp(kSizes, start.parameters()));
  const testing::TinySource source({.name = "p-mnist", .tasks = 3}, kClasses, 30);
  const auto stream = source.stream(0);
  std::size_t steps = 0;
  for (Learner* learner : {fused.get(), torch.get()}) {
    Memory memory(20, kInputs);
    const auto policy = make_reservoir();
    for (int i = 1; i <= 3; ++i) {
      const Task task = stream->task(i);
      const Rng rng = Rng(2).fork("task", i);
      steps += train_task(*learner, *policy, memory, task, {.epochs = 10, .batch = 10}, rng);
      finish_task(*learner, *policy, memory, task, rng);
    }
  }
  EXPECT_EQ(steps, 2 * 360);
  EXPECT_NE(network_of(*fused).parameters(), start.parameters());
  expect_close(network_of(*fused).parameters(), network_of(*torch).parameters(), 2e-3f);
}

std::vector<std::string> learners() {
  std::vector<std::string> names;
  for (const auto& entry : learner_catalog()) names.push_back(entry.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Catalog, LearnerEquality, ::testing::ValuesIn(learners()),
                         [](const auto& learner) { return testing::test_name(learner.param); });

}  // namespace
}  // namespace gps
