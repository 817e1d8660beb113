#include "gps/deployment/grow.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "support/logits.h"
#include "support/tiny_data.h"

namespace gps {
namespace grow_test {

using testing::first_logits;
using testing::images_of;

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

}  // namespace grow_test
}  // namespace gps
