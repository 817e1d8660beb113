// The gradient of FusedMlp: what it is, and how it adds up.
#include <gmock/gmock.h>

#include <algorithm>

#include "gps/nn/mlp/fused_mlp.h"
#include "nn/mlp/reference_mlp.h"
#include "nn/targets.h"

namespace gps {
namespace fused_mlp_gradient_test {

using ::testing::Each;
using testing::for_each_target;
using ::testing::Pointwise;
using testing::RandomBatch;
using testing::ReferenceMlp;
using Sizes = std::vector<std::size_t>;
using Terms = std::vector<LossTerm>;
using Floats = std::vector<float>;

// Inputs, weights and errors are below 1, so each entry of a gradient is a mean of products below
// 1, and their roundings of 2^-24 = 6e-8 point either way: a few of them are allowed.
constexpr float kTolerance = 5e-7f;

FusedMlp network(const Sizes& sizes) { return {sizes, Initialisation::pytorch, Rng(1)}; }

Floats gradient(const FusedMlp& net, ImageRows images, const Terms& terms) {
  const auto copy = net.clone();
  copy->accumulate(images, terms);
  return copy->gradient();
}

Floats sum(const Floats& a, const Floats& b, float factor = 1) {
  Floats result = a;
  for (std::size_t p = 0; p < a.size(); ++p) result[p] += factor * b[p];
  return result;
}

MATCHER(IsClose, "") { return std::abs(std::get<0>(arg) - std::get<1>(arg)) <= kTolerance; }

// In double precision, with a step of 1e-6, central differences are good to 1e-9.
TEST(FusedMlpGradient, IsThatOfFiniteDifferences) {
  for (const Sizes& sizes : {Sizes{5, 3}, Sizes{5, 4, 3}, Sizes{40, 17, 33, 10},
                             Sizes{784, 100, 100, 10}, Sizes{65, 130, 2}}) {
    const FusedMlp net = network(sizes);
    const RandomBatch batch(4, sizes.front(), sizes.back());
    const Terms terms = {{0, batch.labels, 1}};
    ReferenceMlp reference(sizes, net.parameters());
    // All parameters of a small network, 200 of a large one and the last biases.
    const std::size_t count = reference.parameters.size();
    std::vector<std::uint32_t> chosen;
    Rng(2).distinct(std::min<std::size_t>(count, 200), count, chosen);
    for (std::size_t p = count - sizes.back(); p < count; ++p)
      chosen.push_back(static_cast<std::uint32_t>(p));
    std::vector<double> expected;
    for (const std::uint32_t p : chosen) {
      constexpr double kStep = 1e-6;
      const double value = reference.parameters[p];
      reference.parameters[p] = value + kStep;
      const double above = reference.loss(batch.images, terms);
      reference.parameters[p] = value - kStep;
      const double below = reference.loss(batch.images, terms);
      reference.parameters[p] = value;
      expected.push_back((above - below) / (2 * kStep));
    }
    for_each_target([&] {
      const Floats actual = gradient(net, batch.images, terms);
      for (std::size_t k = 0; k < chosen.size(); ++k)
        EXPECT_NEAR(actual[chosen[k]], expected[k], kTolerance)
            << "parameter " << chosen[k] << " of " << sizes.size() << " layers";
      EXPECT_NEAR(net.clone()->accumulate(batch.images, terms), reference.loss(batch.images, terms),
                  1e-5);
    });
  }
}

TEST(FusedMlpGradient, OfABatchIsTheMeanOverItsRows) {
  const FusedMlp net = network({70, 20, 5});
  for_each_target([&] {
    for (const std::size_t rows : {1u, 2u, 63u, 64u, 65u, 150u}) {
      const RandomBatch batch(rows, 70, 5);
      Floats mean(net.parameters().size());
      for (std::size_t r = 0; r < rows; ++r) {
        const Terms alone = {{0, std::span(batch.labels).subspan(r, 1), 1}};
        mean = sum(mean, gradient(net, ImageRows(batch.images).subspan(r, 1), alone),
                   1 / static_cast<float>(rows));
      }
      EXPECT_THAT(gradient(net, batch.images, {{0, batch.labels, 1}}), Pointwise(IsClose(), mean))
          << rows << " rows";
    }
  });
}

// Eqn. 2: the loss of the current examples plus lambda times that of the memory.
TEST(FusedMlpGradient, OfTwoTermsIsTheWeightedSumOfTheirs) {
  const FusedMlp net = network({40, 17, 10});
  const RandomBatch batch(16, 40, 10);
  const std::span<const Label> labels = batch.labels;
  const ImageRows images = batch.images;
  const Terms both = {{0, labels.first(10), 1}, {10, labels.last(6), 0.25f}};
  const Terms first = {{0, labels.first(10), 1}};
  const Terms second = {{0, labels.last(6), 1}};
  EXPECT_THAT(gradient(net, images, both),
              Pointwise(IsClose(), sum(gradient(net, images.first(10), first),
                                       gradient(net, images.last(6), second), 0.25f)));
  EXPECT_NEAR(net.clone()->accumulate(images, both),
              net.clone()->accumulate(images.first(10), first) +
                  0.25 * net.clone()->accumulate(images.last(6), second),
              1e-6);
}

TEST(FusedMlpGradient, AddsUpTermsOverTheSameRows) {
  const FusedMlp net = network({40, 17, 10});
  const RandomBatch batch(6, 40, 10);
  const Terms twice = {{0, batch.labels, 0.75f}, {0, batch.labels, 0.25f}};
  EXPECT_THAT(gradient(net, batch.images, twice),
              Pointwise(IsClose(), gradient(net, batch.images, {{0, batch.labels, 1}})));
}

TEST(FusedMlpGradient, IgnoresEmptyTermsAndRowsWithoutATerm) {
  const FusedMlp net = network({40, 17, 10});
  const RandomBatch batch(8, 40, 10);
  const std::span<const Label> labels = batch.labels;
  const Terms one = {{0, labels.first(5), 1}};
  const Terms with_empty = {{0, {}, 1}, {0, labels.first(5), 1}, {5, {}, 3}};
  const Floats expected = gradient(net, ImageRows(batch.images).first(5), one);
  EXPECT_EQ(gradient(net, batch.images, one), expected);
  EXPECT_EQ(gradient(net, batch.images, with_empty), expected);
  EXPECT_EQ(net.clone()->accumulate(batch.images, with_empty),
            net.clone()->accumulate(batch.images, one));
  EXPECT_EQ(net.clone()->accumulate(batch.images, Terms{{0, {}, 1}}), 0);
  EXPECT_THAT(gradient(net, batch.images, {}), Each(0.0f));
}

TEST(FusedMlpGradient, AccumulatesUntilADescentUsesItUp) {
  FusedMlp net = network({40, 17, 10});
  EXPECT_THAT(net.gradient(), Each(0.0f));
  net.descend(0.1f);  // on no gradient
  const Floats before = net.parameters();
  EXPECT_EQ(before, network({40, 17, 10}).parameters());

  const RandomBatch batch(6, 40, 10);
  const Terms terms = {{0, batch.labels, 1}};
  const Floats once = gradient(net, batch.images, terms);
  net.accumulate(batch.images, terms);
  net.accumulate(batch.images, terms);
  EXPECT_THAT(net.gradient(), Pointwise(IsClose(), sum(once, once)));
  net.descend(0.1f);
  EXPECT_THAT(net.parameters(), Pointwise(IsClose(), sum(before, once, -0.2f)));
  EXPECT_THAT(net.gradient(), Each(0.0f));
}

}  // namespace fused_mlp_gradient_test
}  // namespace gps
