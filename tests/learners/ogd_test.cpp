// OGD: steps are orthogonal to every stored direction, and equal to those of an explicit
// Gram-Schmidt basis of flat gradients.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "gps/learners/learner.h"
#include "gps/nn/mlp/factored_gradients.h"
#include "gps/training/trainer.h"
#include "support/tiny_data.h"

namespace gps {
namespace ogd_test {

constexpr int kClasses = 3;
constexpr std::size_t kBytes = 36;
constexpr float kRate = 0.1f;
using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

Vector flat(const std::vector<float>& values) { return {values.begin(), values.end()}; }

class Ogd : public ::testing::Test {
 protected:
  Ogd() {
    options.name = "ogd";
    options.learning_rate = kRate;
    options.settings["directions"] = 200;  // more than there are: every example is one
    learner = make_learner(options, start.clone());
    learner->end_task(task, nothing, Rng(5));
  }

  // The gradient of the label's logit at each example, at θ.
  std::vector<Vector> directions() const {
    std::vector<Vector> all;
    for (std::uint32_t row = 0; row < task.train.size(); ++row) {
      const auto net = start.clone();
      Batch one;
      one.gather(task, {&row, 1});
      const LossTerm logit{0, one.labels, 1, Loss::logit};
      net->accumulate(one.images, {&logit, 1});
      all.push_back(flat(net->gradient()));
    }
    return all;
  }

  LearnerOptions options;
  Task task{1, testing::tiny_dataset(kClasses, 4, 1)};
  Task next{2, testing::tiny_dataset(kClasses, 10, 2)};
  Memory nothing{1, kBytes};
  FusedMlp start{{kBytes, 20, kClasses}, Initialisation::pytorch, Rng(3)};
  std::unique_ptr<Learner> learner;
};

TEST_F(Ogd, StepsLikeAnExplicitGramSchmidtBasis) {
  Batch batch;
  batch.gather(next, std::vector<std::uint32_t>{0, 1, 2, 3, 4});
  const auto net = start.clone();
  const LossTerm loss{0, batch.labels, 1};
  net->accumulate(batch.images, {&loss, 1});
  Vector projected = flat(net->gradient());
  std::vector<Vector> basis;
  for (Vector direction : directions()) {
    for (int twice = 0; twice < 2; ++twice) {
      for (const Vector& unit : basis) {
        const double along = dot(direction, unit);
        for (std::size_t k = 0; k < unit.size(); ++k) direction[k] -= along * unit[k];
      }
    }
    const double length = std::sqrt(dot(direction, direction));
    if (length < 1e-6) continue;
    for (double& value : direction) value /= length;
    basis.push_back(direction);
  }
  for (const Vector& unit : basis) {
    const double along = dot(projected, unit);
    for (std::size_t k = 0; k < unit.size(); ++k) projected[k] -= along * unit[k];
  }

  const Vector before = flat(network_of(*learner).parameters());
  Rng rng(1);
  learner->observe(batch, nothing, rng);
  const Vector after = flat(network_of(*learner).parameters());
  for (std::size_t k = 0; k < before.size(); ++k)
    ASSERT_NEAR((before[k] - after[k]) / double{kRate}, projected[k], 2e-5);
}

TEST_F(Ogd, StepsAreOrthogonalToEveryStoredDirection) {
  Batch batch;
  batch.gather(next, std::vector<std::uint32_t>{5, 6, 7});
  Vector step = flat(network_of(*learner).parameters());
  Rng rng(1);
  learner->observe(batch, nothing, rng);
  const Vector after = flat(network_of(*learner).parameters());
  for (std::size_t k = 0; k < step.size(); ++k) step[k] -= after[k];
  const double length = std::sqrt(dot(step, step));
  EXPECT_GT(length, 0);
  for (const Vector& direction : directions()) {
    const double cosine = dot(step, direction) / (length * std::sqrt(dot(direction, direction)));
    EXPECT_NEAR(cosine, 0, 1e-3);
  }
}

TEST_F(Ogd, LeavesOutDirectionsThatAddNothing) {
  // The same examples once more: their gradients lie in the span of what is there.
  const auto parameters = [&] {
    Batch batch;
    batch.gather(next, std::vector<std::uint32_t>{0, 1, 2});
    const auto copy = learner->clone();
    Rng rng(1);
    copy->observe(batch, nothing, rng);
    return network_of(*copy).parameters();
  };
  const auto before = parameters();
  learner->end_task(task, nothing, Rng(6));
  EXPECT_EQ(parameters(), before);
}

TEST(FactoredGradients, NineHundredDirectionsOfThePapersNetworkTakeAFewMegabytes) {
  FusedMlp net({784, 100, 100, 10}, Initialisation::xavier, Rng(1));
  const Task task{1, testing::tiny_dataset(10, 1, 1, 28)};
  Batch batch;
  batch.gather(task, std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  FactoredGradients all(dynamic_cast<const FactoredGradients&>(*net.no_gradients()));
  const auto some = net.no_gradients();
  const LossTerm logit{0, batch.labels, 1, Loss::logit};
  net.example_gradients(batch.images, {&logit, 1}, *some);
  for (int k = 0; k < 90; ++k) all.append(*some);
  EXPECT_EQ(all.size(), 900u);
  EXPECT_LT(all.bytes(), std::size_t{4} << 20);  // flat: 900 · 89,610 · 4 bytes = 323 MB
}

}  // namespace ogd_test
}  // namespace gps
