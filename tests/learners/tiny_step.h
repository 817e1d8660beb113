// A batch, a memory and a network that are small enough to recompute a learner's step by hand.
#pragma once

#include <gtest/gtest.h>

#include "gps/nn/mlp/fused_mlp.h"
#include "learners/named.h"
#include "support/tiny_data.h"

namespace gps::testing {

class TinyStep : public ::testing::Test {
 protected:
  static constexpr std::size_t kBytes = 16;
  static constexpr std::size_t kFeatures = 7;
  static constexpr int kClasses = 3;

  TinyStep() : memory(20, kBytes) {
    options.memory_batch = 6;  // all of the memory, so that the draw does not matter
    batch.gather(task, std::vector<std::uint32_t>{0, 1, 2, 3});
    Batch old;
    for (std::uint32_t row = 10; row < 16; ++row) {
      old.gather(task, {&row, 1});
      memory.add(memory.make_example(old, 0, Part::reservoir));
    }
    for (const Example& example : memory.examples()) {
      memory_images.push_back(example.image.get());
      memory_labels.push_back(example.label);
    }
  }

  static std::unique_ptr<Network> network(std::uint64_t seed = 3) {
    return std::make_unique<FusedMlp>(std::vector<std::size_t>{kBytes, kFeatures, kClasses},
                                      Initialisation::xavier, Rng(seed));
  }

  // θ - learning_rate · gradient.
  static std::vector<float> stepped(const Network& net, float learning_rate) {
    std::vector<float> theta = net.parameters();
    const std::vector<float> gradient = net.gradient();
    for (std::size_t k = 0; k < theta.size(); ++k) theta[k] -= learning_rate * gradient[k];
    return theta;
  }

  static double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
    EXPECT_EQ(a.size(), b.size());
    double largest = 0;
    for (std::size_t k = 0; k < a.size(); ++k)
      largest = std::max(largest, static_cast<double>(std::abs(a[k] - b[k])));
    return largest;
  }

  // Rounding: the parameters are below 2 and the sums have a few dozen terms.
  static void expect_close(const std::vector<float>& a, const std::vector<float>& b) {
    EXPECT_LT(largest_difference(a, b), 1e-5);
  }

  LearnerOptions options;
  Task task{1, tiny_dataset(kClasses, 8, 1, /*side=*/4)};
  Task next{2, tiny_dataset(kClasses, 5, 2, /*side=*/4)};
  Batch batch;
  Memory memory;
  std::vector<const std::uint8_t*> memory_images;
  std::vector<Label> memory_labels;
  Rng rng{5};
};

}  // namespace gps::testing
