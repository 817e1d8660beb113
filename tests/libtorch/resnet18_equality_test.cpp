// FusedResNet18 beside the same network in LibTorch: outputs, losses, gradients, statistics, and
// several steps of training.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "libtorch/torch_resnet18.h"
#include "nn/resnet18/tiny_resnet18.h"

namespace gps {
namespace {

// Root mean square of the difference over that of b.
double relative_distance(std::span<const float> a, std::span<const float> b) {
  EXPECT_EQ(a.size(), b.size());
  double difference = 0;
  double norm = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double x = static_cast<double>(a[k]);
    const double y = static_cast<double>(b[k]);
    difference += (x - y) * (x - y);
    norm += y * y;
  }
  return std::sqrt(difference / std::max(norm, 1e-30));
}

struct Case {
  const char* name;
  ImageShape shape;
  std::size_t width;
  Precision precision;
  double tolerance;  // relative_distance() of outputs
  double gradient_tolerance;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class ResNet18Equality : public ::testing::TestWithParam<Case> {
 protected:
  static constexpr std::size_t kRows = 6;

  ResNet18Equality() {
    Rng draw(5);
    for (std::size_t k = 0; k < kRows * options.classes; ++k)
      targets.push_back(static_cast<float>(draw.uniform()));
    for (std::size_t k = 0; k < kRows * 8 * options.width; ++k)
      feature_targets.push_back(static_cast<float>(draw.uniform()));
  }

  static FusedResNet18Options make_options() {
    FusedResNet18Options made;
    made.shape = GetParam().shape;
    made.classes = 5;
    made.width = GetParam().width;
    made.precision = GetParam().precision;
    for (int c = 0; c < made.shape.channels; ++c) {
      made.normalisation.mean.push_back(0.4f + 0.05f * static_cast<float>(c));
      made.normalisation.deviation.push_back(0.25f - 0.02f * static_cast<float>(c));
    }
    return made;
  }

  // One of each kind, overlapping.
  std::vector<LossTerm> all_losses() const {
    const std::span<const Label> labels = images.labels;
    const std::span<const float> values = targets;
    const std::size_t classes = options.classes;
    return {
        {0, labels.first(4), 1},
        {2, labels.subspan(2, 4), 0.7f},
        {1, {}, 0.5f, Loss::squared_error, values.first(3 * classes), classes},
        {2, {}, 0.9f, Loss::sigmoid_cross_entropy, values.first(4 * classes), classes},
        {1, labels.subspan(1, 3), 0.3f, Loss::logit},
        {3,
         {},
         0.01f,
         Loss::feature_distance,
         std::span<const float>(feature_targets).first(2 * 8 * options.width),
         8 * options.width},
    };
  }

  // Running statistics that fit, without a change of the parameters.
  void warm_up() {
    const std::vector<LossTerm> terms = {{0, images.labels}};
    for (int k = 0; k < 3; ++k) torch->accumulate(images.rows, terms);
    torch->descend(0);
    ours->set_state(torch->state());
  }

  static void expect_close(std::span<const float> a, std::span<const float> b, double tolerance) {
    EXPECT_LT(relative_distance(a, b), tolerance);
  }

  FusedResNet18Options options = make_options();
  std::vector<float> start = testing::resnet18_parameters(options, 1);
  testing::PatternImages images{options, kRows, 3};
  std::vector<float> targets;
  std::vector<float> feature_targets;
  std::unique_ptr<Network> ours = make_fused_resnet18(options, start);
  std::unique_ptr<Network> torch = testing::make_torch_resnet18(options, start);
};

TEST_P(ResNet18Equality, LogitsAndFeatures) {
  warm_up();
  std::vector<float> a(kRows * ours->feature_size());
  std::vector<float> b(a.size());
  ours->features(images.rows, a);
  torch->features(images.rows, b);
  expect_close(a, b, GetParam().tolerance);
  a.resize(kRows * ours->classes());
  b.resize(a.size());
  ours->logits(images.rows, a);
  torch->logits(images.rows, b);
  expect_close(a, b, GetParam().tolerance);
}

// Parameter by parameter, in the order of PyTorch: weights of convolutions, scales, shifts, …
TEST_P(ResNet18Equality, LossesAndGradients) {
  for (const LossTerm& term : all_losses()) {
    SCOPED_TRACE(static_cast<int>(term.loss));
    const std::span<const LossTerm> one(&term, 1);
    const double expected = torch->accumulate(images.rows, one);
    EXPECT_NEAR(ours->accumulate(images.rows, one), expected,
                GetParam().tolerance * std::max(1.0, std::abs(expected)));
    expect_close(ours->gradient(), torch->gradient(), GetParam().gradient_tolerance);
    for (std::size_t r = 0; r < kRows; ++r)
      expect_close(ours->row_logits(r), torch->row_logits(r), 3 * GetParam().tolerance);
    ours->descend(0);
    torch->descend(0);
  }
}

TEST_P(ResNet18Equality, GradientOfEachPartOfTheNetwork) {
  const std::vector<LossTerm> terms = all_losses();
  ours->accumulate(images.rows, terms);
  torch->accumulate(images.rows, terms);
  const std::vector<float> a = ours->gradient();
  const std::vector<float> b = torch->gradient();
  ASSERT_EQ(a.size(), b.size());
  std::size_t at = 0;
  const auto compare = [&](const std::string& part, std::size_t size) {
    SCOPED_TRACE(part);
    expect_close(std::span(a).subspan(at, size), std::span(b).subspan(at, size),
                 2 * GetParam().gradient_tolerance);
    at += size;
  };
  const auto compare_unit = [&](const std::string& name, std::size_t in, std::size_t out,
                                std::size_t kernel) {
    compare(name + " weight", in * out * kernel * kernel);
    compare(name + " scale", out);
    compare(name + " shift", out);
  };
  std::size_t in = options.width;
  compare_unit("stem", static_cast<std::size_t>(options.shape.channels), in, 3);
  for (std::size_t block = 0; block < 8; ++block) {
    const std::size_t out = options.width << (block / 2);
    const std::string name = "block " + std::to_string(block);
    compare_unit(name + " first", in, out, 3);
    compare_unit(name + " second", out, out, 3);
    if (in != out) compare_unit(name + " shortcut", in, out, 1);
    in = out;
  }
  compare("linear weight", in * options.classes);
  compare("linear bias", options.classes);
  EXPECT_EQ(at, a.size());
}

TEST_P(ResNet18Equality, TenStepsAndTheirStatistics) {
  const std::vector<LossTerm> terms = {{0, images.labels}};
  for (int k = 0; k < 10; ++k) {
    const double expected = torch->step(images.rows, terms, 0.0005f);
    EXPECT_NEAR(ours->step(images.rows, terms, 0.0005f), expected, 5 * GetParam().tolerance);
  }
  const std::vector<float> a = ours->state();
  const std::vector<float> b = torch->state();
  ASSERT_EQ(a.size(), b.size());
  const std::size_t parameters = ours->parameters().size();
  expect_close(std::span(a).first(parameters), std::span(b).first(parameters),
               GetParam().tolerance);
  expect_close(std::span(a).subspan(parameters), std::span(b).subspan(parameters),
               3 * GetParam().tolerance);
}

TEST_P(ResNet18Equality, GradientsOfInputs) {
  warm_up();
  std::vector<float> floats(kRows * ours->inputs());
  Rng draw(6);
  for (float& value : floats) value = static_cast<float>(draw.uniform());
  std::vector<float> a(floats.size());
  std::vector<float> b(floats.size());
  const std::vector<LossTerm> terms = all_losses();
  const double expected = torch->input_gradient(floats, terms, b);
  EXPECT_NEAR(ours->input_gradient(floats, terms, a), expected,
              GetParam().tolerance * std::max(1.0, std::abs(expected)));
  expect_close(a, b, 2 * GetParam().gradient_tolerance);
}

// Rounding to 8 bits moves some units of every layer across zero, and batch normalisation makes
// more of it: that alone turns the gradient of a network that has learnt nothing by some 20
// degrees. So bf16 is held to that: with its errors rounded too, it is not much further from fp32.
TEST(ResNet18Precision, Bf16IsAsCloseToFp32AsRoundingLetsIt) {
  FusedResNet18Options options;
  options.shape = {3, 16, 16};
  options.width = 16;
  options.classes = 5;
  const std::vector<float> start = testing::resnet18_parameters(options, 1);
  const testing::PatternImages images(options, 20, 3);
  const LossTerm term{0, images.labels};
  const auto exact = testing::make_torch_resnet18(options, start);
  options.precision = Precision::bf16;
  const auto rounded = testing::make_torch_resnet18(options, start);
  const auto ours = make_fused_resnet18(options, start);
  const double loss = exact->accumulate(images.rows, {&term, 1});
  EXPECT_NEAR(rounded->accumulate(images.rows, {&term, 1}), loss, 0.02);
  EXPECT_NEAR(ours->accumulate(images.rows, {&term, 1}), loss, 0.02);
  const double inherent = relative_distance(rounded->gradient(), exact->gradient());
  EXPECT_LT(relative_distance(ours->gradient(), exact->gradient()), 1.2 * inherent);
  EXPECT_LT(inherent, 0.5);
}

// The tolerances of outputs, and of gradients. Those of bf16 are wide because rounding what is
// stored moves a gradient by a third already, whatever the products are (see above).
INSTANTIATE_TEST_SUITE_P(
    Shapes, ResNet18Equality,
    ::testing::Values(Case{"square", {3, 16, 16}, 8, Precision::fp32, 1e-4, 1e-3},
                      Case{"odd", {1, 9, 13}, 10, Precision::fp32, 1e-4, 1e-3},
                      Case{"wide", {3, 8, 12}, 18, Precision::fp32, 1e-4, 1e-3},
                      Case{"square_bf16", {3, 16, 16}, 8, Precision::bf16, 0.02, 0.4},
                      Case{"wide_bf16", {3, 9, 12}, 18, Precision::bf16, 0.02, 0.4}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace gps
