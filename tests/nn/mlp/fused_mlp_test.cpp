#include "gps/nn/mlp/fused_mlp.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "gps/core/errors.h"
#include "nn/mlp/reference_mlp.h"
#include "nn/targets.h"

namespace gps {
namespace fused_mlp_test {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using testing::RandomBatch;
using testing::ReferenceMlp;
using Sizes = std::vector<std::size_t>;

FusedMlp network(const Sizes& sizes, Initialisation initialisation = Initialisation::xavier,
                 std::uint64_t seed = 1) {
  return {sizes, initialisation, Rng(seed)};
}

std::vector<float> logits(Network& net, ImageRows images) {
  std::vector<float> out(images.size() * net.classes());
  net.logits(images, out);
  return out;
}

// One hidden layer by hand: x = (255, 51)/255 = (1, 0.2); the hidden units are 1 - 0.2 = 0.8 and
// -1 + 0.2 + 0.5 = -0.3, cut to 0; the logits 2 * 0.8 + 0.1 = 1.7 and -0.8 + 0.2 = -0.6; the loss
// of class 1 is 2.3 + ln(1 + e^-2.3) = 2.39554.
TEST(FusedMlp, ComputesWhatAHandComputes) {
  testing::for_each_target([] {
    FusedMlp net = network({2, 2, 2});
    net.set_parameters(std::vector<float>{1, -1, -1, 1, 0, 0.5f, 2, 3, -1, 4, 0.1f, 0.2f});
    const std::vector<std::uint8_t> image = {255, 51};
    const std::vector<const std::uint8_t*> images = {image.data()};
    EXPECT_THAT(logits(net, images), ElementsAre(FloatNear(1.7f, 1e-6f), FloatNear(-0.6f, 1e-6f)));
    const std::vector<Label> labels = {1};
    EXPECT_NEAR(net.step(images, std::vector<LossTerm>{{0, labels, 1}}, 0.1f), 2.39554, 1e-5);
  });
}

TEST(FusedMlp, OfThePaperHas89610Parameters) {
  const FusedMlp net = network({784, 100, 100, 10});
  EXPECT_EQ(net.parameters().size(), 89610u);
  EXPECT_EQ(net.gradient().size(), 89610u);
  EXPECT_EQ(net.inputs(), 784u);
  EXPECT_EQ(net.classes(), 10u);
}

TEST(FusedMlp, ParametersGoOutAsTheyCameIn) {
  FusedMlp net = network({40, 17, 33, 10});
  std::vector<float> values(net.parameters().size());
  for (std::size_t p = 0; p < values.size(); ++p) values[p] = static_cast<float>(p) / 64;
  net.set_parameters(values);
  EXPECT_EQ(net.parameters(), values);
}

TEST(FusedMlp, XavierWeightsFillTheirBoundsAndBiasesAreZero) {
  const Sizes sizes = {784, 100, 10};
  const auto parameters = network(sizes).parameters();
  std::size_t at = 0;
  for (std::size_t l = 0; l + 1 < sizes.size(); ++l) {
    const std::size_t weights = sizes[l] * sizes[l + 1];
    const double bound = std::sqrt(6.0 / static_cast<double>(sizes[l] + sizes[l + 1]));
    double largest = 0;
    double sum = 0;
    for (std::size_t k = 0; k < weights; ++k) {
      largest = std::max(largest, std::abs(double{parameters[at + k]}));
      sum += parameters[at + k];
    }
    // A thousand draws leave the outer hundredth of their range empty with p = 0.99^1000 = 4e-5;
    // the mean's standard deviation is bound / sqrt(3 n), five of them allowed.
    EXPECT_LE(largest, bound * (1 + 1e-7));
    EXPECT_GT(largest, 0.99 * bound);
    const auto n = static_cast<double>(weights);
    EXPECT_NEAR(sum / n, 0, 5 * bound / std::sqrt(3 * n));
    at += weights;
    for (std::size_t o = 0; o < sizes[l + 1]; ++o) EXPECT_EQ(parameters[at++], 0);
  }
}

TEST(FusedMlp, PyTorchWeightsAndBiasesKeepToTheirBound) {
  const auto parameters = network({400, 50, 50}, Initialisation::pytorch).parameters();
  const auto largest = [&](std::size_t first, std::size_t count) {
    float most = 0;
    for (std::size_t p = first; p < first + count; ++p)
      most = std::max(most, std::abs(parameters[p]));
    return most;
  };
  // 1/sqrt(400) and 1/sqrt(50); fifty draws leave the upper half empty with p = 2^-50.
  for (const auto& [first, count, bound] :
       std::vector<std::tuple<std::size_t, std::size_t, float>>{{0, 20000, 0.05f},
                                                                {20000, 50, 0.05f},
                                                                {20050, 2500, 0.1414214f},
                                                                {22550, 50, 0.1414214f}}) {
    EXPECT_LE(largest(first, count), bound);
    EXPECT_GT(largest(first, count), bound / 2);
  }
}

TEST(FusedMlp, InitialParametersDependOnTheStreamAlone) {
  const Sizes sizes = {20, 20, 20};
  const auto parameters = network(sizes).parameters();
  EXPECT_EQ(network(sizes).parameters(), parameters);
  EXPECT_NE(network(sizes, Initialisation::xavier, 2).parameters(), parameters);
  EXPECT_NE(parameters[0], parameters[420]) << "two layers alike";
}

TEST(Initialisation, IsKnownByName) {
  EXPECT_EQ(initialisation_from("xavier"), Initialisation::xavier);
  EXPECT_EQ(initialisation_from("pytorch"), Initialisation::pytorch);
  try {
    initialisation_from("kaiming");
    ADD_FAILURE() << "kaiming is known";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "unknown initialisation 'kaiming'; known: xavier, pytorch");
  }
}

TEST(FusedMlp, GivesARowTheSameLogitsAloneAsInABatch) {
  testing::for_each_target([] {
    FusedMlp net = network({100, 30, 10}, Initialisation::pytorch);
    const RandomBatch batch(150, 100, 10);
    const auto together = logits(net, batch.images);
    for (std::size_t r = 0; r < 150; ++r) {
      const auto alone = logits(net, ImageRows(batch.images).subspan(r, 1));
      for (std::size_t c = 0; c < 10; ++c) ASSERT_EQ(alone[c], together[r * 10 + c]) << r;
    }
  });
}

// Sums of some hundred products below 1, each good to 2^-24 of its size: 1e-5 is ample.
TEST(FusedMlp, AgreesWithTheReferenceOnAnyImage) {
  const Sizes sizes = {784, 100, 100, 10};
  testing::for_each_target([&] {
    FusedMlp net = network(sizes, Initialisation::pytorch);
    const ReferenceMlp reference(sizes, net.parameters());
    const RandomBatch random(2, 784, 10);
    const std::vector<std::uint8_t> black(784, 0);
    const std::vector<std::uint8_t> white(784, 255);
    const std::vector<const std::uint8_t*> images = {black.data(), random.images[0], white.data(),
                                                     random.images[1], black.data()};
    const auto actual = logits(net, images);
    for (std::size_t r = 0; r < images.size(); ++r) {
      const auto expected = reference.forward(images[r]).back();
      for (std::size_t c = 0; c < 10; ++c) EXPECT_NEAR(actual[r * 10 + c], expected[c], 1e-5) << r;
    }
  });
}

TEST(FusedMlp, KnowsNothingOfABlackImageWithoutBiases) {
  FusedMlp net = network({784, 100, 10});
  const std::vector<std::uint8_t> black(784, 0);
  const std::vector<const std::uint8_t*> images = {black.data()};
  EXPECT_THAT(logits(net, images), Each(0.0f));
  const std::vector<Label> labels = {3};
  EXPECT_NEAR(net.accumulate(images, std::vector<LossTerm>{{0, labels, 1}}), std::log(10.0), 1e-6);
  const auto gradient = net.gradient();
  EXPECT_THAT(std::span(gradient).first(784 * 100 + 100 + 1000), Each(0.0f));
  EXPECT_NEAR(gradient[784 * 100 + 100 + 1000 + 3], -0.9, 1e-6);
  EXPECT_NEAR(gradient[784 * 100 + 100 + 1000 + 4], 0.1, 1e-6);
}

TEST(FusedMlp, ClonesAreIndependent) {
  FusedMlp net = network({30, 20, 5});
  const RandomBatch batch(8, 30, 5);
  const std::vector<LossTerm> terms = {{0, batch.labels, 1}};
  net.accumulate(batch.images, terms);
  const auto clone = net.clone();
  const auto parameters = net.parameters();
  const auto gradient = net.gradient();
  EXPECT_EQ(clone->parameters(), parameters);
  EXPECT_EQ(clone->gradient(), gradient);

  clone->descend(0.1f);
  clone->step(batch.images, terms, 0.1f);
  EXPECT_NE(clone->parameters(), parameters);
  EXPECT_EQ(net.parameters(), parameters);
  EXPECT_EQ(net.gradient(), gradient);

  net.descend(0.1f);
  net.step(batch.images, terms, 0.1f);
  EXPECT_EQ(net.parameters(), clone->parameters());
  EXPECT_EQ(logits(net, batch.images), logits(*clone, batch.images));
}

}  // namespace fused_mlp_test
}  // namespace gps
