// FusedMlp over many steps.
#include <gmock/gmock.h>

#include "gps/nn/mlp/fused_mlp.h"
#include "nn/mlp/reference_mlp.h"
#include "nn/targets.h"
#include "support/tiny_data.h"

namespace gps {
namespace fused_mlp_training_test {

using testing::for_each_target;
using testing::RandomBatch;
using testing::ReferenceMlp;
using Sizes = std::vector<std::size_t>;
using Terms = std::vector<LossTerm>;

// The two differ in where a learning rate times an error is rounded: by some 2^-24 of numbers
// below 1.
TEST(FusedMlpTraining, AStepIsAccumulateAndDescend) {
  for_each_target([] {
    for (const std::size_t rows : {1u, 20u, 100u}) {
      FusedMlp stepped({40, 17, 33, 10}, Initialisation::xavier, Rng(1));
      FusedMlp descended = stepped;
      const RandomBatch batch(rows, 40, 10);
      const Terms terms = {{0, batch.labels, 1}};
      const double loss = stepped.step(batch.images, terms, 0.1f);
      EXPECT_EQ(loss, descended.accumulate(batch.images, terms));
      descended.descend(0.1f);
      const auto expected = descended.parameters();
      const auto actual = stepped.parameters();
      for (std::size_t p = 0; p < actual.size(); ++p) EXPECT_NEAR(actual[p], expected[p], 1e-6);
    }
  });
}

TEST(FusedMlpTraining, AStepReturnsTheLossBeforeIt) {
  FusedMlp net({40, 17, 10}, Initialisation::xavier, Rng(1));
  const RandomBatch batch(10, 40, 10);
  const Terms terms = {{0, batch.labels, 1}};
  const double before = net.clone()->accumulate(batch.images, terms);
  EXPECT_EQ(net.step(batch.images, terms, 0.1f), before);
  EXPECT_LT(net.clone()->accumulate(batch.images, terms), before);
}

TEST(FusedMlpTraining, AStepOfNothingChangesNothing) {
  for_each_target([] {
    FusedMlp net({40, 300, 10}, Initialisation::pytorch, Rng(1));
    const auto before = net.parameters();
    EXPECT_EQ(net.step({}, {}, 0.1f), 0);
    EXPECT_EQ(net.parameters(), before);
  });
}

// Twenty rows a step, as experience replay has them: ten current ones and ten of the memory.
struct Step {
  std::vector<const std::uint8_t*> images;
  std::vector<Label> labels;

  Terms terms() const {
    return {{0, std::span(labels).first(10), 1}, {10, std::span(labels).last(10), 0.5f}};
  }
};

std::vector<Step> steps(const Dataset& data, int count) {
  Rng rng(3);
  std::vector<std::uint32_t> rows;
  std::vector<Step> all(static_cast<std::size_t>(count));
  for (Step& step : all) {
    rng.distinct(20, data.size(), rows);
    for (const std::uint32_t row : rows) {
      step.images.push_back(data.image(row, {}));
      step.labels.push_back(data.label(row));
    }
  }
  return all;
}

// Each step rounds parameters below 2 to within 1e-7. 400 such errors, if all pointed the same way,
// would make 4e-5, and learning does not amplify them where it converges. A ReLU that opens for one
// and not for the other moves a weight by at most learning rate / rows = 0.01 times an error of
// some hundredths, some 1e-4. Hence 5e-4.
TEST(FusedMlpTraining, FollowsTheReferenceForHundredsOfSteps) {
  const Sizes sizes = {36, 17, 33, 10};
  const Dataset data = testing::tiny_dataset(10, 40);
  const std::vector<Step> all = steps(data, 400);
  const FusedMlp start(sizes, Initialisation::xavier, Rng(2));
  ReferenceMlp reference(sizes, start.parameters());
  std::vector<double> losses;
  for (const Step& step : all) {
    losses.push_back(reference.loss(step.images, step.terms()));
    reference.step(step.images, step.terms(), 0.1f);
  }
  ASSERT_LT(losses.back(), losses.front() / 10) << "there was nothing to learn";
  for_each_target([&] {
    FusedMlp net = start;
    for (std::size_t i = 0; i < all.size(); ++i)
      ASSERT_NEAR(net.step(all[i].images, all[i].terms(), 0.1f), losses[i], 5e-4) << "step " << i;
    const auto actual = net.parameters();
    for (std::size_t p = 0; p < actual.size(); ++p)
      EXPECT_NEAR(actual[p], reference.parameters[p], 5e-4) << "parameter " << p;
  });
}

}  // namespace fused_mlp_training_test
}  // namespace gps
