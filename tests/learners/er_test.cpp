#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "gps/nn/mlp/fused_mlp.h"
#include "learners/named.h"
#include "support/tiny_data.h"

namespace gps {
namespace er_test {

constexpr std::size_t kBytes = 16;
constexpr int kClasses = 3;

// Remembers what a step was asked for, and learns nothing.
class SpyNetwork final : public Network {
 public:
  struct Term {
    std::size_t first = 0;
    std::vector<Label> labels;
    float weight = 0;
  };

  std::unique_ptr<Network> clone() const override { return std::make_unique<SpyNetwork>(*this); }
  std::size_t inputs() const override { return kBytes; }
  std::size_t classes() const override { return kClasses; }
  std::size_t feature_size() const override { return 0; }
  void logits(ImageRows, std::span<float>) override {}
  void features(ImageRows, std::span<float>) override {}
  std::span<const float> row_logits(std::size_t) const override { return {}; }
  std::unique_ptr<ExampleGradients> no_gradients() const override { return nullptr; }
  double example_gradients(ImageRows, std::span<const LossTerm>, ExampleGradients&) override {
    return 0;
  }
  double input_gradient(std::span<const float>, std::span<const LossTerm>,
                        std::span<float>) override {
    return 0;
  }
  std::span<float> weights() override { return {}; }
  double accumulate(ImageRows rows, std::span<const LossTerm> loss) override {
    images.assign(rows.begin(), rows.end());
    terms.clear();
    for (const LossTerm& term : loss) {
      terms.push_back({term.first, {term.labels.begin(), term.labels.end()}, term.weight});
    }
    return 0;
  }
  void descend(float) override {}
  std::vector<float> parameters() const override { return {}; }
  void set_parameters(std::span<const float>) override {}
  std::vector<float> gradient() const override { return {}; }

  std::vector<const std::uint8_t*> images;
  std::vector<Term> terms;
};

class Er : public ::testing::Test {
 protected:
  Er() : memory(20, kBytes) {
    batch.gather(task, std::vector<std::uint32_t>{0, 1, 2, 3});
    Batch old;
    for (std::uint32_t row = 10; row < 16; ++row) {
      old.gather(task, {&row, 1});
      old.task = 1;
      memory.add(memory.make_example(old, 0, Part::reservoir));
    }
  }

  static std::unique_ptr<Network> network(std::uint64_t seed = 3) {
    return std::make_unique<FusedMlp>(std::vector<std::size_t>{kBytes, 7, kClasses},
                                      Initialisation::xavier, Rng(seed));
  }

  // θ after one step on this gradient.
  static std::vector<float> stepped(const Network& net, float learning_rate) {
    std::vector<float> theta = net.parameters();
    const std::vector<float> gradient = net.gradient();
    for (std::size_t k = 0; k < theta.size(); ++k) theta[k] -= learning_rate * gradient[k];
    return theta;
  }

  // Rounding: the parameters are below 2 and the sums have a few dozen terms.
  static void expect_close(const std::vector<float>& a, const std::vector<float>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-5) << "parameter " << k;
  }

  std::vector<const std::uint8_t*> memory_images() const {
    std::vector<const std::uint8_t*> images;
    for (const Example& example : memory.examples()) images.push_back(example.image.get());
    return images;
  }
  std::vector<Label> memory_labels() const {
    std::vector<Label> labels;
    for (const Example& example : memory.examples()) labels.push_back(example.label);
    return labels;
  }

  LearnerOptions options;
  Task task{2, testing::tiny_dataset(kClasses, 8, 1, /*side=*/4)};
  Batch batch;
  Memory memory;
  Rng rng{5};
};

TEST_F(Er, DescendsTheCurrentLossPlusLambdaTimesTheMemorysLoss) {
  options.settings["lambda"] = 0.7;
  options.memory_batch = 6;  // all of the memory, so that the draw does not matter
  const auto er = testing::make_named("er", options, network());

  const auto reference = network();
  const std::vector<Label> old_labels = memory_labels();
  const LossTerm now{0, batch.labels, 1};
  const LossTerm past{0, old_labels, 0.7f};
  const double loss = reference->accumulate(batch.images, {&now, 1}) +
                      reference->accumulate(memory_images(), {&past, 1});

  EXPECT_NEAR(er->observe(batch, memory, rng), loss, 1e-5);
  expect_close(network_of(*er).parameters(), stepped(*reference, options.learning_rate));
}

TEST_F(Er, DescendsTheMeanOverAllRowsInItsConcatForm) {
  options.settings["er_loss"] = "concat";
  options.memory_batch = 6;
  const auto er = testing::make_named("er", options, network());

  const auto reference = network();
  std::vector<const std::uint8_t*> images = batch.images;
  std::vector<Label> labels = batch.labels;
  for (const Example& example : memory.examples()) {
    images.push_back(example.image.get());
    labels.push_back(example.label);
  }
  const LossTerm all{0, labels, 1};
  const double loss = reference->accumulate(images, {&all, 1});

  EXPECT_NEAR(er->observe(batch, memory, rng), loss, 1e-5);
  expect_close(network_of(*er).parameters(), stepped(*reference, options.learning_rate));
}

TEST_F(Er, WeighsTheMemoryRowsOfTheMeanByLambdaInItsConcatForm) {
  options.settings["er_loss"] = "concat";
  options.settings["lambda"] = 0.5;
  options.memory_batch = 6;
  auto spy = std::make_unique<SpyNetwork>();
  const SpyNetwork& asked = *spy;
  const auto er = testing::make_named("er", options, std::move(spy));
  er->observe(batch, memory, rng);
  ASSERT_EQ(asked.terms.size(), 2u);
  EXPECT_FLOAT_EQ(asked.terms[0].weight, 0.4f);  // 4 of 10 rows
  EXPECT_FLOAT_EQ(asked.terms[1].weight, 0.3f);  // 6 of 10 rows, halved
}

TEST_F(Er, IsPlainDescentWhileTheMemoryIsEmpty) {
  for (const char* form : {"sum", "concat"}) {
    options.settings["er_loss"] = form;
    const auto er = testing::make_named("er", options, network());
    const auto sgd = testing::make_named("sgd", options, network());
    const Memory nothing(20, kBytes);
    const double er_loss = er->observe(batch, nothing, rng);
    EXPECT_EQ(er_loss, sgd->observe(batch, nothing, rng));
    EXPECT_EQ(network_of(*er).parameters(), network_of(*sgd).parameters());
  }
}

TEST_F(Er, IsPlainDescentWithoutAnyWeightOnTheMemory) {
  options.settings["lambda"] = 0.0;
  const auto er = testing::make_named("er", options, network());
  const auto sgd = testing::make_named("sgd", options, network());
  for (int step = 0; step < 5; ++step) {
    EXPECT_NEAR(er->observe(batch, memory, rng), sgd->observe(batch, memory, rng), 1e-5);
  }
  expect_close(network_of(*er).parameters(), network_of(*sgd).parameters());
}

TEST_F(Er, PutsTheBatchFirstAndTheMemoryRowsWithTheirLabelsAfterIt) {
  options.memory_batch = 4;
  options.settings["lambda"] = 0.25;
  auto spy = std::make_unique<SpyNetwork>();
  const SpyNetwork& asked = *spy;
  const auto er = testing::make_named("er", options, std::move(spy));
  er->observe(batch, memory, rng);

  ASSERT_EQ(asked.images.size(), 8u);
  ASSERT_EQ(asked.terms.size(), 2u);
  EXPECT_EQ(std::vector(asked.images.begin(), asked.images.begin() + 4), batch.images);
  EXPECT_EQ(asked.terms[0].labels, batch.labels);
  EXPECT_EQ(asked.terms[0].weight, 1);
  EXPECT_EQ(asked.terms[1].first, 4u);
  EXPECT_EQ(asked.terms[1].weight, 0.25f);
  for (std::size_t k = 0; k < 4; ++k) {
    const auto is_image = [&](const Example& e) { return e.image.get() == asked.images[4 + k]; };
    const auto drawn = std::find_if(memory.examples().begin(), memory.examples().end(), is_image);
    ASSERT_NE(drawn, memory.examples().end());
    EXPECT_EQ(asked.terms[1].labels[k], drawn->label);
  }
}

TEST_F(Er, DrawsWithoutReplacementAndNoMoreThanThereIs) {
  for (const int wanted : {1, 3, 5, 6, 7, 50}) {
    options.memory_batch = wanted;
    auto spy = std::make_unique<SpyNetwork>();
    const SpyNetwork& asked = *spy;
    const auto er = testing::make_named("er", options, std::move(spy));
    for (int step = 0; step < 50; ++step) {
      er->observe(batch, memory, rng);
      const std::set<const std::uint8_t*> drawn(asked.images.begin() + 4, asked.images.end());
      EXPECT_EQ(drawn.size(), asked.images.size() - 4) << "an example was drawn twice";
      EXPECT_EQ(drawn.size(), std::min<std::size_t>(static_cast<std::size_t>(wanted), 6));
    }
  }
}

TEST_F(Er, DrawsEveryStoredExampleEquallyOften) {
  options.memory_batch = 2;
  auto spy = std::make_unique<SpyNetwork>();
  const SpyNetwork& asked = *spy;
  const auto er = testing::make_named("er", options, std::move(spy));
  std::map<const std::uint8_t*, int> drawn;
  for (int step = 0; step < 3000; ++step) {
    er->observe(batch, memory, rng);
    for (std::size_t k = 4; k < asked.images.size(); ++k) ++drawn[asked.images[k]];
  }
  // Binomial(3000, 1/3): mean 1000, deviation 25.8; five of them are 129.
  EXPECT_EQ(drawn.size(), 6u);
  for (const auto& [image, count] : drawn) EXPECT_NEAR(count, 1000, 129);
}

TEST_F(Er, LeavesTheMemoryAsItIs) {
  const Memory before = memory;
  std::vector<std::vector<std::uint8_t>> pixels;
  for (const std::uint8_t* image : memory_images()) pixels.emplace_back(image, image + kBytes);
  const auto er = testing::make_named("er", options, network());
  for (int step = 0; step < 10; ++step) er->observe(batch, memory, rng);
  EXPECT_EQ(memory.examples(), before.examples());
  for (std::size_t slot = 0; slot < memory.size(); ++slot) {
    EXPECT_TRUE(std::equal(pixels[slot].begin(), pixels[slot].end(), memory[slot].image.get()));
  }
}

}  // namespace er_test
}  // namespace gps
