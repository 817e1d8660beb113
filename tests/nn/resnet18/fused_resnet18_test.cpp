// What FusedResNet18 promises by itself; tests/libtorch/ compares it with LibTorch's.
#include "gps/nn/resnet18/fused_resnet18.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "gps/core/errors.h"
#include "nn/resnet18/tiny_resnet18.h"

namespace gps {
namespace fused_resnet18_test {

FusedResNet18Options tiny(Precision precision = Precision::fp32) {
  FusedResNet18Options options;
  options.shape = {2, 8, 10};
  options.classes = 3;
  options.width = 4;
  options.precision = precision;
  return options;
}

class FusedResNet18Test : public ::testing::TestWithParam<Precision> {
 protected:
  static constexpr std::size_t kRows = 7;

  std::vector<float> logits(Network& of) const {
    std::vector<float> out(kRows * of.classes());
    of.logits(images.rows, out);
    return out;
  }
  double step(Network& of) const { return of.step(images.rows, {&term, 1}, 0.05f); }

  FusedResNet18Options options = tiny(GetParam());
  testing::PatternImages images{options, kRows, 3};
  LossTerm term{0, images.labels};
  std::unique_ptr<Network> network =
      make_fused_resnet18(options, testing::resnet18_parameters(options, 1));
};

INSTANTIATE_TEST_SUITE_P(Precisions, FusedResNet18Test,
                         ::testing::Values(Precision::fp32, Precision::bf16), [](const auto& one) {
                           return one.param == Precision::fp32 ? "fp32" : "bf16";
                         });

TEST(FusedResNet18, HasAsManyParametersAsPyTorchs) {
  FusedResNet18Options options;
  EXPECT_EQ(fused_resnet18_parameters(options), 11173962u);
  options.classes = 100;
  EXPECT_EQ(fused_resnet18_parameters(options), 11220132u);
  options.width = 20;
  EXPECT_EQ(fused_resnet18_parameters(options), 1109240u);
}

TEST(FusedResNet18, RefusesWhatDoesNotFit) {
  FusedResNet18Options options = tiny();
  std::vector<float> parameters = testing::resnet18_parameters(options, 1);
  options.normalisation = {{0.5f}, {0.5f}};
  EXPECT_THROW(make_fused_resnet18(options, parameters), UsageError);
  options.normalisation = {};
  parameters.pop_back();
  EXPECT_THROW(make_fused_resnet18(options, parameters), UsageError);
}

TEST_P(FusedResNet18Test, ParametersGoInAndComeOut) {
  const std::vector<float> values = testing::resnet18_parameters(options, 2);
  network->set_parameters(values);
  EXPECT_EQ(network->parameters(), values);
  EXPECT_THAT(network->gradient(), ::testing::Each(0.0f));
}

TEST_P(FusedResNet18Test, StateBringsBackTheSameBits) {
  for (int k = 0; k < 3; ++k) step(*network);
  const std::vector<float> state = network->state();
  const std::vector<float> before = logits(*network);
  const auto other = make_fused_resnet18(options, testing::resnet18_parameters(options, 2));
  other->set_state(state);
  EXPECT_EQ(logits(*other), before);
  EXPECT_EQ(step(*other), step(*network));
  EXPECT_EQ(other->state(), network->state());
}

TEST_P(FusedResNet18Test, CloneIsDeepAndStepsAlike) {
  step(*network);
  const auto clone = network->clone();
  const std::vector<float> before = clone->state();
  const double loss = step(*network);
  EXPECT_EQ(clone->state(), before);
  EXPECT_EQ(step(*clone), loss);
  EXPECT_EQ(clone->state(), network->state());
}

TEST_P(FusedResNet18Test, OtherThreadsComputeTheSameBits) {
  const auto clone = network->clone();
  std::thread([&] { step(*clone); }).join();
  step(*network);
  EXPECT_EQ(clone->state(), network->state());
}

TEST_P(FusedResNet18Test, StepIsAccumulateAndDescend) {
  const auto other = network->clone();
  const double loss = step(*network);
  EXPECT_EQ(other->accumulate(images.rows, {&term, 1}), loss);
  EXPECT_TRUE(std::ranges::equal(other->row_logits(2), network->row_logits(2)));
  other->descend(0.05f);
  const std::vector<float> a = network->parameters();
  const std::vector<float> b = other->parameters();
  for (std::size_t k = 0; k < a.size(); ++k) ASSERT_NEAR(a[k], b[k], 1e-5f);
}

// A batch of another size in between must leave nothing behind, nor may one row see another.
TEST_P(FusedResNet18Test, RowsAreEvaluatedAlone) {
  step(*network);
  const std::vector<float> all = logits(*network);
  for (std::size_t r = 0; r < kRows; ++r) {
    std::vector<float> one(network->classes());
    network->logits(std::span(images.rows).subspan(r, 1), one);
    EXPECT_TRUE(std::ranges::equal(one, std::span(all).subspan(r * 3, 3)));
  }
  const testing::PatternImages many(options, 70, 4);  // more than one chunk
  std::vector<float> out(70 * 3);
  network->logits(many.rows, out);
  std::vector<float> last(3);
  network->logits(std::span(many.rows).last(1), last);
  EXPECT_TRUE(std::ranges::equal(last, std::span(out).last(3)));
  EXPECT_EQ(logits(*network), all);
}

TEST_P(FusedResNet18Test, EvaluatingLeavesNoTrace) {
  const std::vector<float> state = network->state();
  logits(*network);
  std::vector<float> features(kRows * network->feature_size());
  network->features(images.rows, features);
  const auto gradients = network->no_gradients();
  network->example_gradients(images.rows, {&term, 1}, *gradients);
  std::vector<float> floats(network->inputs(), 0.5f);
  std::vector<float> out(network->inputs());
  const LossTerm one{0, term.labels.first(1)};
  network->input_gradient(floats, {&one, 1}, out);
  EXPECT_EQ(network->state(), state);
  EXPECT_THAT(network->gradient(), ::testing::Each(0.0f));
}

TEST_P(FusedResNet18Test, SeesWhatIsDoneToItsWeights) {
  const std::vector<float> before = logits(*network);
  for (float& weight : network->weights()) weight *= 1.5f;
  const std::vector<float> after = logits(*network);
  EXPECT_NE(before, after);
  const auto fresh = make_fused_resnet18(options, network->parameters());
  EXPECT_EQ(logits(*fresh), after);
}

TEST_P(FusedResNet18Test, GradientsOfExamplesAddUp) {
  step(*network);
  const auto gradients = network->no_gradients();
  const double loss = network->example_gradients(images.rows, {&term, 1}, *gradients);
  ASSERT_EQ(gradients->size(), kRows);
  const std::vector<float> logits_before(network->row_logits(3).begin(),
                                         network->row_logits(3).end());
  // Each row alone, with its share of the weight.
  const auto single = network->no_gradients();
  double sum = 0;
  for (std::size_t r = 0; r < kRows; ++r) {
    const LossTerm share{0, term.labels.subspan(r, 1), 1.0f / kRows};
    const auto one = network->no_gradients();
    sum += network->example_gradients(std::span(images.rows).subspan(r, 1), {&share, 1}, *one);
    if (r == 3) {
      EXPECT_TRUE(std::ranges::equal(network->row_logits(0), logits_before));
    }
    single->append(*one);
  }
  EXPECT_NEAR(sum, loss, 1e-5);
  std::vector<float> a(kRows * kRows);
  std::vector<float> b(kRows * kRows);
  gradients->inner_products(*gradients, a);
  single->inner_products(*single, b);
  for (std::size_t k = 0; k < a.size(); ++k)
    EXPECT_NEAR(a[k], b[k], 1e-3f * std::max(1.0f, std::abs(b[k])));
}

// Central differences, away from the kinks of ReLU or averaging over them.
TEST(FusedResNet18, GradientOfInputsIsThatOfFiniteDifferences) {
  const FusedResNet18Options options = tiny();
  const auto network = make_fused_resnet18(options, testing::resnet18_parameters(options, 1));
  const testing::PatternImages images(options, 2, 3);
  std::vector<float> x;
  for (const std::uint8_t byte : images.bytes) x.push_back(static_cast<float>(byte) / 255.0f);
  const LossTerm term{0, images.labels};
  std::vector<float> gradient(x.size());
  std::vector<float> ignored(x.size());
  network->input_gradient(x, {&term, 1}, gradient);
  float largest = 0;
  for (const float value : gradient) largest = std::max(largest, std::abs(value));
  ASSERT_GT(largest, 0);
  for (std::size_t k = 0; k < x.size(); k += 11) {
    constexpr float kStep = 1e-3f;
    const float middle = x[k];
    x[k] = middle + kStep;
    const double above = network->input_gradient(x, {&term, 1}, ignored);
    x[k] = middle - kStep;
    const double below = network->input_gradient(x, {&term, 1}, ignored);
    x[k] = middle;
    EXPECT_NEAR((above - below) / (2 * static_cast<double>(kStep)),
                static_cast<double>(gradient[k]), 0.05 * static_cast<double>(largest));
  }
}

// Patterns under noise, which a few hundred steps tell apart; accuracy on others of the kind.
TEST_P(FusedResNet18Test, LearnsInEitherPrecision) {
  options.classes = 5;
  const auto learner = make_fused_resnet18(options, testing::resnet18_parameters(options, 1));
  const testing::PatternImages training(options, 200, 5);
  const testing::PatternImages test(options, 100, 6);
  for (std::size_t k = 0; k < 150; ++k) {
    const std::size_t first = 20 * (k % 10);
    const LossTerm loss{0, std::span<const Label>(training.labels).subspan(first, 20)};
    learner->step(std::span(training.rows).subspan(first, 20), {&loss, 1}, 0.02f);
  }
  std::vector<float> out(100 * options.classes);
  learner->logits(test.rows, out);
  int correct = 0;
  for (std::size_t r = 0; r < 100; ++r) {
    const auto row = std::span(out).subspan(r * options.classes, options.classes);
    correct += std::ranges::max_element(row) - row.begin() == test.labels[r];
  }
  EXPECT_GE(correct, 95);
}

}  // namespace fused_resnet18_test
}  // namespace gps
