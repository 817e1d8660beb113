#include "gps/training/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gps/nn/fused_mlp.h"

namespace gps {
namespace {

// One pixel, two classes, no hidden layer: the logits are (x, 1/2), where x is 0 or 1.
FusedMlp threshold_network() {
  FusedMlp network({1, 2}, Initialisation::xavier, Rng(1));
  network.set_parameters(std::vector<float>{1, 0, 0, 0.5f});
  return network;
}

struct Pixel {
  std::uint8_t value;
  Label label;
};

Dataset images(const std::vector<Pixel>& pixels, int classes = 2) {
  std::vector<std::uint8_t> bytes;
  std::vector<Label> labels;
  for (const Pixel& pixel : pixels) {
    bytes.push_back(pixel.value);
    labels.push_back(pixel.label);
  }
  return {{1, 1, 1}, bytes, labels, classes};
}

// -log softmax of the larger and of the smaller of two logits that differ by 1/2.
const double kLossIfRight = std::log(1 + std::exp(-0.5));
const double kLossIfWrong = std::log(1 + std::exp(0.5));

TEST(Evaluate, CountsEveryExampleOnce) {
  FusedMlp network = threshold_network();
  // White is taken for class 0, black for class 1: two of class 0 right and one wrong, one of
  // class 1 right.
  const Evaluation end = evaluate(network, images({{255, 0}, {255, 0}, {0, 0}, {0, 1}}));
  EXPECT_DOUBLE_EQ(end.accuracy, 3.0 / 4);
  EXPECT_NEAR(end.loss, (3 * kLossIfRight + kLossIfWrong) / 4, 1e-6);
}

TEST(Evaluate, AveragesOverTheClassesToo) {
  FusedMlp network = threshold_network();
  const Evaluation end = evaluate(network, images({{255, 0}, {255, 0}, {0, 0}, {0, 1}}));
  EXPECT_DOUBLE_EQ(end.class_accuracy, (2.0 / 3 + 1) / 2);
  EXPECT_NEAR(end.class_loss, ((2 * kLossIfRight + kLossIfWrong) / 3 + kLossIfRight) / 2, 1e-6);
}

TEST(Evaluate, AveragesOverThePresentClassesOnly) {
  FusedMlp network = threshold_network();
  const Evaluation end = evaluate(network, images({{255, 0}, {0, 0}}));
  EXPECT_DOUBLE_EQ(end.class_accuracy, 0.5);
  EXPECT_NEAR(end.class_loss, (kLossIfRight + kLossIfWrong) / 2, 1e-6);
}

TEST(Evaluate, DoesNotDependOnHowManyExamplesThereAre) {
  FusedMlp network = threshold_network();
  const Dataset four = images({{255, 0}, {255, 0}, {0, 0}, {0, 1}});
  const Evaluation expected = evaluate(network, four);
  // Around the sizes at which examples are worked on in chunks.
  for (const std::size_t copies : {15, 16, 17, 63, 64, 65, 128, 200}) {
    std::vector<std::uint32_t> rows;
    for (std::size_t k = 0; k < copies; ++k) rows.insert(rows.end(), {0, 1, 2, 3});
    const Evaluation end = evaluate(network, four.subset(rows));
    EXPECT_DOUBLE_EQ(end.accuracy, expected.accuracy);
    EXPECT_NEAR(end.loss, expected.loss, 1e-6);
    EXPECT_DOUBLE_EQ(end.class_accuracy, expected.class_accuracy);
    EXPECT_NEAR(end.class_loss, expected.class_loss, 1e-6);
  }
}

TEST(Evaluate, SeesTheRearrangedPixels) {
  FusedMlp network({2, 2}, Initialisation::xavier, Rng(1));
  // The first pixel speaks for class 0, the second for class 1.
  network.set_parameters(std::vector<float>{1, 0, 0, 1, 0, 0});
  const Dataset data({1, 1, 2}, {255, 0, 0, 255}, {0, 1}, 2);
  EXPECT_DOUBLE_EQ(evaluate(network, data).accuracy, 1);
  EXPECT_DOUBLE_EQ(evaluate(network, data.rearranged({1, 0})).accuracy, 0);
}

TEST(Evaluate, StaysFiniteForHugeLogits) {
  FusedMlp network({1, 2}, Initialisation::xavier, Rng(1));
  network.set_parameters(std::vector<float>{1e4f, -1e4f, 0, 0});
  EXPECT_NEAR(evaluate(network, images({{255, 0}})).loss, 0, 1e-6);
  EXPECT_NEAR(evaluate(network, images({{255, 1}})).loss, 2e4, 1);
}

TEST(Evaluate, StopsWhenAskedTo) {
  FusedMlp network = threshold_network();
  StopFlag stop;
  EXPECT_NO_THROW(evaluate(network, images({{255, 0}}), &stop));
  stop.request();
  EXPECT_THROW(evaluate(network, images({{255, 0}}), &stop), Interrupted);
}

TEST(Evaluate, LeavesTheNetworkAsItIs) {
  FusedMlp network = threshold_network();
  const auto before = network.parameters();
  evaluate(network, images({{255, 0}, {0, 1}}));
  EXPECT_EQ(network.parameters(), before);
}

}  // namespace
}  // namespace gps
