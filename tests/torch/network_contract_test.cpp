// What every network of the catalog promises (nn/network.h).
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <thread>

#include "gps/nn/aligned_floats.h"
#include "support/test_names.h"
#include "torch/networks.h"

namespace gps {
namespace network_contract_test {

using Floats = std::vector<float>;

double largest_difference(std::span<const float> a, std::span<const float> b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    largest = std::max(largest, static_cast<double>(std::abs(a[k] - b[k])));
  return largest;
}

class NetworkContract : public ::testing::TestWithParam<std::string> {
 protected:
  NetworkContract() {
    std::vector<std::uint32_t> rows(kRows);
    std::iota(rows.begin(), rows.end(), 0u);
    batch.gather(task, rows);
    Rng draw(5);
    for (std::size_t k = 0; k < kRows * network->classes(); ++k)
      targets.push_back(static_cast<float>(draw.uniform()));
    for (std::size_t k = 0; k < kRows * network->feature_size(); ++k)
      feature_targets.push_back(static_cast<float>(draw.uniform()));
  }

  // One of each kind, overlapping.
  std::vector<LossTerm> all_losses() const {
    const std::span<const Label> labels = batch.labels;
    const std::size_t classes = network->classes();
    const std::size_t size = network->feature_size();
    return {
        {0, labels.first(5), 1},
        {3, labels.subspan(3, 6), 0.7f},
        {4, {}, 0.5f, Loss::squared_error, std::span(targets).first(4 * classes), classes},
        {2, {}, 0.9f, Loss::sigmoid_cross_entropy, std::span(targets).first(7 * classes), classes},
        {1, labels.subspan(1, 3), 0.3f, Loss::logit},
        {6, {}, 0.1f, Loss::feature_distance, std::span(feature_targets).first(3 * size), size},
    };
  }
  std::vector<LossTerm> cross_entropy() const { return {{0, batch.labels, 1}}; }
  void train(Network& net, int steps) const {
    for (int k = 0; k < steps; ++k) net.step(batch.images, cross_entropy(), 0.05f);
  }
  Floats logits_of(Network& net) const {
    Floats logits(batch.size() * net.classes());
    net.logits(batch.images, logits);
    return logits;
  }

  static constexpr std::size_t kRows = 10;
  Task task{1, testing::tiny_dataset(testing::kTinyClasses, 10, 1, testing::kTinyShape.height)};
  Batch batch;
  std::unique_ptr<Network> network = testing::make_tiny(GetParam());
  Floats targets;
  Floats feature_targets;
};

TEST_P(NetworkContract, ClonesShareNothingAndComputeTheSameBits) {
  train(*network, 3);
  const Floats before = network->state();
  const Floats said = logits_of(*network);
  const auto clone = network->clone();
  EXPECT_EQ(clone->state(), before);
  EXPECT_EQ(logits_of(*clone), said);
  train(*clone, 3);
  EXPECT_NE(clone->state(), before);
  EXPECT_EQ(network->state(), before);
  EXPECT_EQ(logits_of(*network), said);
  train(*network, 3);
  EXPECT_EQ(network->state(), clone->state());
}

TEST_P(NetworkContract, ComputesTheSameBitsOnAnyThread) {
  const auto clone = network->clone();
  train(*network, 3);
  std::thread([&] { train(*clone, 3); }).join();
  EXPECT_EQ(network->state(), clone->state());
}

TEST_P(NetworkContract, GoesOnFromItsStateBitByBit) {
  train(*network, 2);
  const Floats state = network->state();
  const auto other = testing::make_tiny(GetParam(), /*seed=*/2);
  EXPECT_NE(other->state(), state);
  other->set_state(state);
  EXPECT_EQ(other->state(), state);
  train(*network, 2);
  train(*other, 2);
  EXPECT_EQ(other->state(), network->state());
}

TEST_P(NetworkContract, TensorsAreItsStateUnderNames) {
  train(*network, 1);
  Floats values;
  std::set<std::string> names;
  for (const NamedTensor& tensor : network->tensors()) {
    values.insert(values.end(), tensor.values.begin(), tensor.values.end());
    EXPECT_TRUE(names.insert(tensor.name).second) << tensor.name;
    EXPECT_EQ(std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::size_t{1},
                              [](std::size_t n, std::int64_t side) {
                                return n * static_cast<std::size_t>(side);
                              }),
              tensor.values.size());
  }
  EXPECT_EQ(values, network->state());
}

TEST_P(NetworkContract, AStepIsAccumulateAndDescend) {
  const auto other = network->clone();
  const double loss = network->step(batch.images, cross_entropy(), 0.1f);
  EXPECT_NEAR(other->accumulate(batch.images, cross_entropy()), loss, 1e-6);
  EXPECT_GT(largest_difference(other->gradient(), Floats(other->gradient().size())), 1e-3);
  other->descend(0.1f);
  EXPECT_LT(largest_difference(network->state(), other->state()), 1e-6);
  EXPECT_EQ(other->gradient(), Floats(other->gradient().size()));
}

TEST_P(NetworkContract, GradientsAccumulate) {
  network->accumulate(batch.images, cross_entropy());
  const Floats once = network->gradient();
  network->accumulate(batch.images, cross_entropy());
  const Floats twice = network->gradient();
  for (std::size_t k = 0; k < once.size(); ++k) EXPECT_NEAR(twice[k], 2 * once[k], 1e-4);
}

TEST_P(NetworkContract, TheGradientAsASumOfPartsIsTheOneThatItAccumulates) {
  const auto other = network->clone();
  const auto parts = network->no_gradients();
  const double loss = network->gradients(batch.images, cross_entropy(), *parts);
  EXPECT_NEAR(other->step(batch.images, cross_entropy(), 0.1f), loss, 1e-6);
  const Floats factors(parts->size(), -0.1f);
  parts->add_to(factors, network->weights());
  EXPECT_LT(largest_difference(network->state(), other->state()), 1e-6);
}

TEST_P(NetworkContract, RowLogitsAreThoseOfTheLastStepBeforeIt) {
  Floats expected(batch.size() * network->classes());
  network->training_logits(batch.images, expected);
  network->step(batch.images, cross_entropy(), 0.1f);
  Floats rows;
  for (std::size_t r = 0; r < batch.size(); ++r) {
    const auto row = network->row_logits(r);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  EXPECT_LT(largest_difference(rows, expected), 1e-6);
}

TEST_P(NetworkContract, PredictingLeavesNoTrace) {
  train(*network, 2);
  const Floats before = network->state();
  Floats out(batch.size() * std::max(network->classes(), network->feature_size()));
  network->training_logits(batch.images, out);
  network->logits(batch.images, out);
  network->features(batch.images, out);
  const auto parts = network->no_gradients();
  network->example_gradients(batch.images, all_losses(), *parts);
  Floats image(network->inputs(), 0.5f);
  Floats gradient(network->inputs());
  const LossTerm loss{0, std::span<const Label>(batch.labels).first(1), 1};
  network->input_gradient(image, {&loss, 1}, gradient);
  EXPECT_EQ(network->state(), before);
}

// In prediction mode each row's share depends on that row alone, so a numerical derivative of the
// prediction-mode loss along a random direction must be the sum of the rows' inner products.
TEST_P(NetworkContract, ExampleGradientsAddUpToTheDerivativeOfTheLoss) {
  train(*network, 2);
  const auto rows = network->no_gradients();
  const double loss = network->example_gradients(batch.images, all_losses(), *rows);
  EXPECT_EQ(rows->size(), batch.size());
  AlignedFloats sum(network->weights().size());
  rows->add_to(Floats(rows->size(), 1), sum);
  const auto loss_at = [&](float distance) {
    const auto moved = network->clone();
    const std::span<float> theta = moved->weights();
    for (std::size_t k = 0; k < theta.size(); ++k) theta[k] += distance * sum[k];
    const auto unused = moved->no_gradients();
    return moved->example_gradients(batch.images, all_losses(), *unused);
  };
  EXPECT_NEAR(loss_at(0), loss, 1e-6);
  double square = 0;
  for (std::size_t k = 0; k < sum.size(); ++k) square += static_cast<double>(sum[k] * sum[k]);
  const float h = 1e-3f / static_cast<float>(std::sqrt(square));
  const double slope = (loss_at(h) - loss_at(-h)) / (2 * static_cast<double>(h));
  EXPECT_NEAR(slope / square, 1, 0.02);

  Floats products(rows->size() * rows->size());
  rows->inner_products(*rows, products);
  EXPECT_NEAR(std::accumulate(products.begin(), products.end(), 0.0) / square, 1, 1e-4);
  AlignedFloats squares(sum.size());
  rows->add_squares_to(1, squares);
  double trace = 0;
  for (std::size_t r = 0; r < rows->size(); ++r)
    trace += static_cast<double>(products[r * rows->size() + r]);
  double total = 0;
  for (std::size_t k = 0; k < squares.size(); ++k) total += static_cast<double>(squares[k]);
  EXPECT_NEAR(total / trace, 1, 1e-4);
}

TEST_P(NetworkContract, TheGradientOfItsInputsIsTheDerivativeOfTheLoss) {
  train(*network, 2);
  Rng draw(9);
  Floats images(batch.size() * network->inputs());
  for (float& pixel : images) pixel = static_cast<float>(0.2 + 0.6 * draw.uniform());
  Floats gradient(images.size());
  const double loss = network->input_gradient(images, all_losses(), gradient);
  Floats unused(images.size());
  double square = 0;
  for (const float each : gradient) square += static_cast<double>(each * each);
  const float h = 1e-3f / static_cast<float>(std::sqrt(square));
  const auto loss_at = [&](float distance) {
    Floats moved = images;
    for (std::size_t k = 0; k < moved.size(); ++k) moved[k] += distance * gradient[k];
    return network->input_gradient(moved, all_losses(), unused);
  };
  EXPECT_NEAR(loss_at(0), loss, 1e-6);
  EXPECT_NEAR((loss_at(h) - loss_at(-h)) / (2 * static_cast<double>(h)) / square, 1, 0.02);
}

TEST_P(NetworkContract, WeightsAreItsParameters) {
  for (float& weight : network->weights()) weight = 0;
  EXPECT_EQ(network->parameters(), Floats(network->parameters().size()));
  Floats values(network->parameters().size());
  std::iota(values.begin(), values.end(), 1.0f);
  network->set_parameters(values);
  EXPECT_EQ(network->parameters(), values);
  double sum = 0;
  for (const float weight : network->weights()) sum += static_cast<double>(weight);
  EXPECT_DOUBLE_EQ(sum, std::accumulate(values.begin(), values.end(), 0.0));
}

TEST_P(NetworkContract, ManyImagesAtOnceAreSeenAsFewAre) {
  std::vector<const std::uint8_t*> many;
  for (int k = 0; k < 20; ++k) many.insert(many.end(), batch.images.begin(), batch.images.end());
  Floats all(many.size() * network->classes());
  network->logits(many, all);
  const Floats few = logits_of(*network);
  EXPECT_LT(largest_difference(std::span(all).last(few.size()), few), 1e-5);
}

TEST_P(NetworkContract, Learns) {
  const double before = network->step(batch.images, cross_entropy(), 0.05f);
  train(*network, 30);
  EXPECT_LT(network->step(batch.images, cross_entropy(), 0.05f), before / 2);
}

INSTANTIATE_TEST_SUITE_P(Catalog, NetworkContract,
                         ::testing::Values("mlp", "convnet", "resnet18", "resnet18 in LibTorch"),
                         [](const auto& model) { return testing::test_name(model.param); });

}  // namespace network_contract_test
}  // namespace gps
