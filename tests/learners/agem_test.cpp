// A-GEM: the step never runs against the memory's gradient, and is left alone where it does not.
#include <gtest/gtest.h>

#include <numeric>

#include "gps/learners/learner.h"
#include "gps/nn/mlp/fused_mlp.h"
#include "support/tiny_data.h"

namespace gps {
namespace agem_test {

constexpr int kClasses = 3;
constexpr std::size_t kBytes = 36;
constexpr float kRate = 0.05f;

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// The gradient of the mean cross entropy of these rows.
std::vector<float> gradient_of(const Network& net, const Batch& batch) {
  const auto copy = net.clone();
  const LossTerm term{0, batch.labels, 1};
  copy->accumulate(batch.images, {&term, 1});
  return copy->gradient();
}

TEST(Agem, ProjectsOnlyStepsThatRunAgainstTheMemory) {
  const Task task{1, testing::tiny_dataset(kClasses, 30, 1)};
  int projected = 0;
  int left_alone = 0;
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    const FusedMlp start({kBytes, 7, kClasses}, Initialisation::pytorch, Rng(seed));
    Batch now;
    now.gather(task, std::vector<std::uint32_t>{3 * seed, 3 * seed + 1});
    Batch old;
    old.gather(task, std::vector<std::uint32_t>{89 - seed, 88 - seed, 40});
    Memory memory(3, kBytes);
    for (std::size_t k = 0; k < 3; ++k) memory.add(memory.make_example(old, k, Part::ring));

    LearnerOptions options;
    options.name = "agem";
    options.learning_rate = kRate;
    const auto learner = make_learner(options, start.clone());
    Rng rng(1);
    learner->observe(now, memory, rng);

    const std::vector<float> before = start.parameters();
    const std::vector<float> after = network_of(*learner).parameters();
    std::vector<float> step(before.size());
    for (std::size_t k = 0; k < step.size(); ++k) step[k] = (before[k] - after[k]) / kRate;
    const std::vector<float> g = gradient_of(start, now);
    const std::vector<float> reference = gradient_of(start, old);
    const double along = dot(g, reference);
    const double scale = dot(reference, reference);
    EXPECT_GE(dot(step, reference), -1e-4 * scale);
    (along < 0 ? projected : left_alone) += 1;
    for (std::size_t k = 0; k < step.size(); ++k) {
      const double expected = g[k] - std::min(0.0, along) / scale * reference[k];
      ASSERT_NEAR(step[k], expected, 2e-5) << "seed " << seed;
    }
  }
  EXPECT_GT(projected, 0);
  EXPECT_GT(left_alone, 0);
}

TEST(Agem, IsPlainDescentWhileTheMemoryIsEmpty) {
  const Task task{1, testing::tiny_dataset(kClasses, 30, 1)};
  Batch now;
  now.gather(task, std::vector<std::uint32_t>{0, 1, 2});
  const FusedMlp start({kBytes, 7, kClasses}, Initialisation::pytorch, Rng(1));
  const auto agem = make_learner({}, start.clone());
  const auto sgd = make_learner({.name = "sgd"}, start.clone());
  const Memory nothing(3, kBytes);
  Rng rng(1);
  EXPECT_EQ(agem->observe(now, nothing, rng), sgd->observe(now, nothing, rng));
  EXPECT_EQ(network_of(*agem).parameters(), network_of(*sgd).parameters());
}

}  // namespace agem_test
}  // namespace gps
