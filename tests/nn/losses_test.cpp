// The losses beside cross entropy, features, and the gradient with respect to images: all against
// central differences in double precision.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>

#include "gps/nn/mlp/fused_mlp.h"
#include "nn/mlp/reference_mlp.h"
#include "nn/targets.h"

namespace gps {
namespace losses_test {

using testing::for_each_target;
using testing::RandomBatch;
using testing::ReferenceMlp;
using Sizes = std::vector<std::size_t>;
using Floats = std::vector<float>;

constexpr double kStep = 1e-6;  // of the differences, which are then good to 1e-9
constexpr std::size_t kRows = 5;

Floats random_floats(std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  Floats values;
  for (std::size_t k = 0; k < count; ++k) values.push_back(static_cast<float>(rng.uniform()));
  return values;
}

std::vector<double> row_of(std::span<const float> values, std::size_t row, std::size_t size) {
  const auto part = values.subspan(row * size, size);
  return {part.begin(), part.end()};
}

// The definitions of loss.h, for one row of what the layers say.
double value_of(const LossTerm& term, std::size_t row,
                const std::vector<std::vector<double>>& layers) {
  const std::vector<double>& logits = layers.back();
  const std::vector<double>& features = layers[layers.size() - 2];
  const auto n = static_cast<double>(logits.size());
  std::vector<double> target;
  if (term.target_size > 0) target = row_of(term.targets, row, term.target_size);
  double sum = 0;
  switch (term.loss) {
    case Loss::cross_entropy:
      return -std::log(ReferenceMlp::softmax(logits)[term.labels[row]]);
    case Loss::squared_error:
      for (std::size_t c = 0; c < target.size(); ++c) sum += std::pow(logits[c] - target[c], 2);
      return sum / n;
    case Loss::sigmoid_cross_entropy:
      for (std::size_t c = 0; c < target.size(); ++c) {
        const double p = 1 / (1 + std::exp(-logits[c]));
        sum -= target[c] * std::log(p) + (1 - target[c]) * std::log(1 - p);
      }
      return sum / n;
    case Loss::logit:
      return logits[term.labels[row]];
    case Loss::feature_distance:
      for (std::size_t f = 0; f < target.size(); ++f) sum += std::pow(features[f] - target[f], 2);
      return sum;
  }
  return 0;
}

using Inputs = std::vector<std::vector<double>>;

double value_of(const std::vector<LossTerm>& terms, const ReferenceMlp& net, const Inputs& images) {
  double total = 0;
  for (const LossTerm& term : terms) {
    for (std::size_t r = 0; r < term.rows(); ++r) {
      total += static_cast<double>(term.weight) / static_cast<double>(term.rows()) *
               value_of(term, r, net.forward(images[term.first + r]));
    }
  }
  return total;
}

double slope(double& variable, const std::function<double()>& value) {
  const double at = variable;
  variable = at + kStep;
  const double above = value();
  variable = at - kStep;
  const double below = value();
  variable = at;
  return (above - below) / (2 * kStep);
}

class Losses : public ::testing::Test {
 protected:
  static constexpr std::size_t kInputs = 30;
  static constexpr std::size_t kFeatures = 18;
  static constexpr std::size_t kClasses = 4;

  // Each of them alone, and all of them together over rows that overlap.
  std::vector<std::vector<LossTerm>> cases() const {
    const std::vector<LossTerm> alone = {
        {0, batch.labels, 0.5f},
        {0, {}, 0.5f, Loss::squared_error, class_targets, kClasses},
        {0, {}, 2, Loss::sigmoid_cross_entropy, class_targets, kClasses},
        {0, batch.labels, -1, Loss::logit},
        {0, {}, 0.25f, Loss::feature_distance, feature_targets, kFeatures},
        {2,
         {},
         1,
         Loss::feature_distance,
         std::span(feature_targets).first(2 * kFeatures),
         kFeatures},
    };
    std::vector<std::vector<LossTerm>> all = {alone};
    for (const LossTerm& term : alone) all.push_back({term});
    return all;
  }

  Sizes sizes{kInputs, 20, kFeatures, kClasses};
  FusedMlp net{sizes, Initialisation::pytorch, Rng(1)};
  RandomBatch batch{kRows, kInputs, kClasses};
  Floats class_targets = random_floats(kRows * kClasses, 2);
  Floats feature_targets = random_floats(kRows * kFeatures, 3);
};

TEST_F(Losses, HaveTheGradientOfFiniteDifferences) {
  Inputs images;
  for (const std::uint8_t* image : batch.images) {
    images.emplace_back();
    for (std::size_t k = 0; k < kInputs; ++k) images.back().push_back(image[k] / 255.0);
  }
  for (const std::vector<LossTerm>& terms : cases()) {
    ReferenceMlp reference(sizes, net.parameters());
    const auto value = [&] { return value_of(terms, reference, images); };
    std::vector<double> expected;
    for (double& parameter : reference.parameters) expected.push_back(slope(parameter, value));
    for_each_target([&] {
      const auto copy = net.clone();
      EXPECT_NEAR(copy->accumulate(batch.images, terms), value(), 1e-5);
      const Floats actual = copy->gradient();
      for (std::size_t k = 0; k < expected.size(); ++k)
        EXPECT_NEAR(actual[k], expected[k], 2e-6)
            << "parameter " << k << ", loss " << static_cast<int>(terms[0].loss);
    });
  }
}

TEST_F(Losses, HaveTheInputGradientOfFiniteDifferences) {
  Floats images = random_floats(kRows * kInputs, 4);
  for (std::size_t k = 0; k < images.size(); k += 3) images[k] = 0;  // which has a slope, too
  Inputs doubles;
  for (std::size_t r = 0; r < kRows; ++r) doubles.push_back(row_of(images, r, kInputs));
  const ReferenceMlp reference(sizes, net.parameters());
  for (const std::vector<LossTerm>& terms : cases()) {
    const auto value = [&] { return value_of(terms, reference, doubles); };
    for_each_target([&] {
      Floats actual(images.size());
      EXPECT_NEAR(net.input_gradient(images, terms, actual), value(), 1e-5);
      for (std::size_t k = 0; k < images.size(); ++k)
        EXPECT_NEAR(actual[k], slope(doubles[k / kInputs][k % kInputs], value), 2e-6)
            << "input " << k << ", loss " << static_cast<int>(terms[0].loss);
    });
  }
  EXPECT_EQ(net.parameters(), FusedMlp(sizes, Initialisation::pytorch, Rng(1)).parameters());
}

TEST_F(Losses, AreFiniteForLogitsOfAnySize) {
  for (float& weight : net.weights()) weight *= 1e4f;
  const LossTerm term{0, {}, 1, Loss::sigmoid_cross_entropy, class_targets, kClasses};
  EXPECT_TRUE(std::isfinite(net.accumulate(batch.images, {&term, 1})));
  for (const float value : net.gradient()) EXPECT_TRUE(std::isfinite(value));
}

TEST(Features, AreWhatTheLastLayerSees) {
  for (const Sizes& sizes : {Sizes{20, 7, 3}, Sizes{40, 17, 33, 10}, Sizes{5, 3}}) {
    FusedMlp net(sizes, Initialisation::pytorch, Rng(1));
    const RandomBatch batch(150, sizes.front(), sizes.back());  // more than one chunk
    const std::size_t size = net.feature_size();
    ASSERT_EQ(size, sizes[sizes.size() - 2]);
    const ReferenceMlp reference(sizes, net.parameters());
    for_each_target([&] {
      Floats features(150 * size);
      net.features(batch.images, features);
      for (std::size_t r = 0; r < 150; ++r) {
        const auto layers = reference.forward(batch.images[r]);
        for (std::size_t f = 0; f < size; ++f)
          EXPECT_NEAR(features[r * size + f], layers[layers.size() - 2][f], 1e-6);
      }
    });
  }
}

TEST(RowLogits, AreThoseBeforeTheStep) {
  FusedMlp net({20, 7, 3}, Initialisation::pytorch, Rng(1));
  const RandomBatch batch(6, 20, 3);
  const LossTerm term{0, batch.labels, 1};
  Floats before(6 * 3);
  net.logits(batch.images, before);
  net.step(batch.images, {&term, 1}, 0.5f);
  for (std::size_t r = 0; r < 6; ++r) {
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(net.row_logits(r)[c], before[r * 3 + c]);
  }
}

}  // namespace losses_test
}  // namespace gps
