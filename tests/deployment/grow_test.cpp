#include "gps/deployment/grow.h"

#include <gmock/gmock.h>

#include "support/logits.h"
#include "support/tiny_data.h"

namespace gps {
namespace grow_test {

using testing::first_logits;
using testing::images_of;

void train_a_little(Network& network, const Dataset& data) {
  const auto images = images_of(data);
  std::vector<Label> labels;
  for (std::size_t row = 0; row < data.size(); ++row) labels.push_back(data.label(row));
  const LossTerm loss{0, labels, 1};
  for (int step = 0; step < 3; ++step) network.step(images, {&loss, 1}, 0.05f);
}

void expect_old_logits_to_stay(const NetworkOptions& options, const Dataset& data) {
  const Normalisation normalisation =
      options.model == "mlp" ? Normalisation{} : Normalisation{{0.4f}, {0.3f}};
  auto network = make_network(options, data.shape(), 2, normalisation, Rng(1));
  train_a_little(*network, data);
  for (const int classes : {3, 4, 9, 17, 40}) {
    const std::size_t before = network->classes();
    const std::vector<float> expected = first_logits(*network, data, before);
    auto larger = grown(*network, options, data.shape(), classes, normalisation,
                        Rng(2).fork("grow", classes));
    EXPECT_EQ(larger->classes(), static_cast<std::size_t>(classes));
    EXPECT_EQ(first_logits(*larger, data, before), expected)
        << options.model << " from " << before << " to " << classes << " classes";
    train_a_little(*larger, data);
    network = std::move(larger);
  }
}

TEST(Grow, LeavesTheOldLogitsOfAnMlpAsTheyWereToTheBit) {
  NetworkOptions options;
  expect_old_logits_to_stay(options, testing::tiny_dataset(2, 8));
  options.hidden = {17, 5};
  expect_old_logits_to_stay(options, testing::tiny_dataset(2, 8));
  options.hidden = {};
  expect_old_logits_to_stay(options, testing::tiny_dataset(2, 8));
}

TEST(Grow, LeavesTheOldLogitsOfAResNet18OfOurOwnAsTheyWereToTheBit) {
  NetworkOptions options{.model = "resnet18"};
  options.backend = "own";
  options.width = 4;
  expect_old_logits_to_stay(options, testing::tiny_dataset(2, 8, 1, 8));
}

TEST(Grow, DrawsTheRowsOfNewClassesFromTheStreamItIsGiven) {
  const NetworkOptions options;
  const ImageShape shape{1, 6, 6};
  const auto network = make_network(options, shape, 2, {}, Rng(1));
  const auto a = grown(*network, options, shape, 4, {}, Rng(2));
  EXPECT_EQ(a->parameters(), grown(*network, options, shape, 4, {}, Rng(2))->parameters());
  EXPECT_NE(a->parameters(), grown(*network, options, shape, 4, {}, Rng(3))->parameters());
}

TEST(Grow, IsACopyWhereThereAreOutputsEnough) {
  const NetworkOptions options;
  const ImageShape shape{1, 6, 6};
  const auto network = make_network(options, shape, 4, {}, Rng(1));
  const auto same = grown(*network, options, shape, 3, {}, Rng(2));
  EXPECT_EQ(same->parameters(), network->parameters());
}

TEST(GrowStoredLogits, KeepsWhatWasStoredAndAddsWhatTheNetworkSaysNow) {
  const NetworkOptions options;
  const Dataset data = testing::tiny_dataset(2, 3);
  auto network = make_network(options, data.shape(), 2, {}, Rng(1));
  Memory memory(4, data.shape().bytes());
  const std::vector<float> stored = {1.5f, -2.5f};
  memory.add({.image = store_image({data.image(0, {}), data.shape().bytes()}),
              .logits = store_logits(stored)});
  memory.add({.image = store_image({data.image(1, {}), data.shape().bytes()})});
  const auto larger = grown(*network, options, data.shape(), 5, {}, Rng(2));
  grow_stored_logits(memory, *larger, 2);
  std::vector<float> now(5);
  const std::uint8_t* const image = memory[0].image.get();
  larger->logits({&image, 1}, now);
  std::vector<float> found(5);
  memory.read_logits(memory[0], found);
  EXPECT_THAT(found, ::testing::ElementsAre(1.5f, -2.5f, now[2], now[3], now[4]));
  EXPECT_EQ(memory[1].logits, nullptr);
}

}  // namespace grow_test
}  // namespace gps
