// An mlp whose pixels are normalised computes what one computes whose first layer does it.
#include <gmock/gmock.h>

#include "gps/nn/mlp/factored_gradients.h"
#include "nn/mlp/reference_mlp.h"
#include "nn/targets.h"

namespace gps {
namespace fused_mlp_normalised_test {

using testing::for_each_target;
using testing::RandomBatch;
using testing::ReferenceMlp;
using Sizes = std::vector<std::size_t>;

const Normalisation kTwoChannels{{0.3f, 0.6f}, {0.2f, 0.5f}};

FusedMlp normalised_network(const Sizes& sizes) {
  FusedMlp net(sizes, Initialisation::pytorch, Rng(1));
  net.normalise(kTwoChannels);
  return net;
}

std::vector<double> inputs_of(const std::uint8_t* image, std::size_t count) {
  std::vector<double> inputs;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t channel = 2 * k / count;
    inputs.push_back((image[k] / 255.0 - static_cast<double>(kTwoChannels.mean[channel])) /
                     static_cast<double>(kTwoChannels.deviation[channel]));
  }
  return inputs;
}

double loss_of(const ReferenceMlp& reference, const RandomBatch& batch, std::size_t inputs) {
  double total = 0;
  for (std::size_t r = 0; r < batch.images.size(); ++r) {
    const auto shares =
        ReferenceMlp::softmax(reference.forward(inputs_of(batch.images[r], inputs)).back());
    total -= std::log(shares[batch.labels[r]]) / static_cast<double>(batch.images.size());
  }
  return total;
}

TEST(NormalisedMlp, SeesPixelsLessTheirMeanDividedByTheirDeviation) {
  for_each_target([] {
    for (const Sizes& sizes : {Sizes{6, 3}, Sizes{40, 17, 10}, Sizes{130, 33, 2}}) {
      FusedMlp net = normalised_network(sizes);
      const RandomBatch batch(5, sizes.front(), sizes.back());
      const ReferenceMlp reference(sizes, net.parameters());
      std::vector<float> logits(5 * sizes.back());
      net.logits(batch.images, logits);
      for (std::size_t r = 0; r < 5; ++r) {
        const auto expected = reference.forward(inputs_of(batch.images[r], sizes.front())).back();
        for (std::size_t c = 0; c < sizes.back(); ++c)
          EXPECT_NEAR(logits[r * sizes.back() + c], expected[c], 1e-5);
      }
    }
  });
}

TEST(NormalisedMlp, HasTheGradientOfFiniteDifferences) {
  const Sizes sizes = {20, 7, 3};
  const FusedMlp net = normalised_network(sizes);
  const RandomBatch batch(4, sizes.front(), sizes.back());
  const LossTerm all{0, batch.labels, 1};
  const auto copy = net.clone();
  EXPECT_NEAR(copy->accumulate(batch.images, {&all, 1}),
              loss_of({sizes, net.parameters()}, batch, sizes.front()), 1e-5);
  const std::vector<float> gradient = copy->gradient();
  ReferenceMlp reference(sizes, net.parameters());
  for (std::size_t p = 0; p < gradient.size(); ++p) {
    constexpr double kStep = 1e-6;
    const double value = reference.parameters[p];
    reference.parameters[p] = value + kStep;
    const double above = loss_of(reference, batch, sizes.front());
    reference.parameters[p] = value - kStep;
    const double below = loss_of(reference, batch, sizes.front());
    reference.parameters[p] = value;
    EXPECT_NEAR(gradient[p], (above - below) / (2 * kStep), 1e-5) << p;
  }
}

TEST(NormalisedMlp, HasGradientsOfExamplesThatAddUp) {
  const Sizes sizes = {20, 7, 3};
  FusedMlp net = normalised_network(sizes);
  const RandomBatch batch(4, sizes.front(), sizes.back());
  const LossTerm all{0, batch.labels, 1};
  const auto gradients = net.no_gradients();
  net.example_gradients(batch.images, {&all, 1}, *gradients);
  FusedMlp zero = net;
  std::fill(zero.weights().begin(), zero.weights().end(), 0.0f);
  gradients->add_to(std::vector<float>(4, 1.0f), zero.weights());
  const auto copy = net.clone();
  copy->accumulate(batch.images, {&all, 1});
  const std::vector<float> expected = copy->gradient();
  const std::vector<float> summed = zero.parameters();
  ASSERT_EQ(summed.size(), expected.size());
  for (std::size_t p = 0; p < summed.size(); ++p) EXPECT_NEAR(summed[p], expected[p], 1e-5) << p;
}

TEST(NormalisedMlp, HasTheGradientOfItsInputs) {
  const Sizes sizes = {6, 5, 2};
  FusedMlp net = normalised_network(sizes);
  const std::vector<Label> labels = {1};
  const LossTerm one{0, labels, 1};
  std::vector<float> image = {0.1f, 0.9f, 0.4f, 0.7f, 0.2f, 0.5f};
  std::vector<float> gradient(6);
  net.input_gradient(image, {&one, 1}, gradient);
  for (std::size_t k = 0; k < image.size(); ++k) {
    constexpr float kStep = 1e-2f;
    std::vector<float> unused(6);
    std::vector<float> above = image;
    std::vector<float> below = image;
    above[k] += kStep;
    below[k] -= kStep;
    const double difference =
        net.input_gradient(above, {&one, 1}, unused) - net.input_gradient(below, {&one, 1}, unused);
    EXPECT_NEAR(gradient[k], difference / (2 * static_cast<double>(kStep)), 2e-3) << k;
  }
}

TEST(NormalisedMlp, WithoutANormalisationHasTheSameBitsAsEver) {
  const Sizes sizes = {20, 7, 3};
  FusedMlp plain(sizes, Initialisation::pytorch, Rng(1));
  FusedMlp empty(sizes, Initialisation::pytorch, Rng(1));
  empty.normalise({});
  const RandomBatch batch(4, sizes.front(), sizes.back());
  const LossTerm all{0, batch.labels, 1};
  plain.step(batch.images, {&all, 1}, 0.1f);
  empty.step(batch.images, {&all, 1}, 0.1f);
  EXPECT_EQ(plain.parameters(), empty.parameters());
}

}  // namespace fused_mlp_normalised_test
}  // namespace gps
