#include "gps/deployment/grow.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "support/tiny_data.h"

namespace gps {
namespace {

std::vector<const std::uint8_t*> images_of(const Dataset& data) {
  std::vector<const std::uint8_t*> images;
  for (std::size_t row = 0; row < data.size(); ++row) images.push_back(data.image(row, {}));
  return images;
}

// Logits of the first `classes` classes.
std::vector<float> first_logits(Network& network, const Dataset& data, std::size_t classes) {
  const auto images = images_of(data);
  std::vector<float> all(images.size() * network.classes());
  network.logits(images, all);
  std::vector<float> first;
  for (std::size_t row = 0; row < images.size(); ++row) {
    const auto at = all.begin() + static_cast<std::ptrdiff_t>(row * network.classes());
    first.insert(first.end(), at, at + static_cast<std::ptrdiff_t>(classes));
  }
  return first;
}

TEST(Grow, LeavesTheOldWeightsOfNetworksOfLibTorchAsTheyWereAndTheirLogitsUpToRounding) {
  const Dataset data = testing::tiny_dataset(2, 8, 1, 8);
  const auto images = images_of(data);
  std::vector<Label> labels;
  for (std::size_t row = 0; row < data.size(); ++row) labels.push_back(data.label(row));
  const LossTerm loss{0, labels, 1};
  const Normalisation normalisation{{0.4f}, {0.3f}};
  for (const char* model : {"convnet", "resnet18"}) {
    NetworkOptions options{.model = model};
    options.width = 4;
    auto network = make_network(options, data.shape(), 2, normalisation, Rng(1));
    for (const int classes : {3, 4, 9, 17, 40}) {
      for (int step = 0; step < 2; ++step) network->step(images, {&loss, 1}, 0.05f);
      const std::size_t before = network->classes();
      const auto expected = first_logits(*network, data, before);
      auto larger = grown(*network, options, data.shape(), classes, normalisation, Rng(2));
      // BLAS adds products of wider matrices in another order.
      EXPECT_THAT(first_logits(*larger, data, before),
                  ::testing::Pointwise(::testing::FloatNear(1e-5f), expected))
          << model << " from " << before << " to " << classes << " classes";
      const NamedTensors old = network->tensors();
      const NamedTensors now = larger->tensors();
      for (std::size_t k = 0; k < old.size(); ++k) {
        EXPECT_TRUE(std::equal(old[k].values.begin(), old[k].values.end(), now[k].values.begin()))
            << model << ": " << old[k].name;
      }
      network = std::move(larger);
    }
  }
}

}  // namespace
}  // namespace gps
