#include <gtest/gtest.h>

#include <cmath>

#include "gps/policies/parts/gradient_similarity.h"
#include "gps/policies/policy.h"
#include "policies/known_network.h"
#include "support/tiny_data.h"

namespace gps {
namespace gradient_test {

// Rows of a small data set with their gradients, written out and not.
class Rows {
 public:
  Rows(FusedMlp& network, const Dataset& data, std::span<const std::uint32_t> rows)
      : gradients(network.no_gradients()) {
    Batch batch;
    batch.gather({1, data}, rows);
    const LossTerm all{0, batch.labels, 1};
    network.example_gradients(batch.images, {&all, 1}, *gradients);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const LossTerm one{0, std::span(batch.labels).subspan(k, 1), 1};
      const auto copy = network.clone();
      copy->accumulate(std::span(batch.images).subspan(k, 1), {&one, 1});
      flat.push_back(copy->gradient());
    }
  }

  // The sum of the gradients of rows [first, end).
  std::vector<double> sum(std::size_t first, std::size_t end) const {
    std::vector<double> total(flat[0].size(), 0);
    for (std::size_t k = first; k < end; ++k) {
      for (std::size_t d = 0; d < total.size(); ++d) {
        total[d] += static_cast<double>(flat[k][d]);
      }
    }
    return total;
  }

  std::unique_ptr<ExampleGradients> gradients;
  std::vector<std::vector<float>> flat;
};

double cosine(const std::vector<double>& a, const std::vector<double>& b) {
  double product = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t d = 0; d < a.size(); ++d) {
    product += a[d] * b[d];
    aa += a[d] * a[d];
    bb += b[d] * b[d];
  }
  return product / std::sqrt(aa * bb);
}

TEST(GradientSimilarity, IsTheLargestCosineWithAGroup) {
  const Dataset data = testing::tiny_dataset(3, 8);
  FusedMlp network({data.shape().bytes(), 7, 3}, Initialisation::xavier, Rng(2));
  const std::vector<std::uint32_t> now = {0, 3, 5, 9};
  const std::vector<std::uint32_t> stored = {1, 2, 4, 6, 7, 8, 10};
  const Rows a(network, data, now);
  const Rows b(network, data, stored);
  for (const std::size_t group : {1U, 2U, 3U, 7U, 20U}) {
    const GradientSimilarity found = similarity(*a.gradients, *b.gradients, group);
    const auto expected = [&](const std::vector<double>& gradient) {
      double best = -1;
      for (std::size_t first = 0; first < 7; first += group) {
        best =
            std::max(best, cosine(gradient, b.sum(first, std::min<std::size_t>(first + group, 7))));
      }
      return best;
    };
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_NEAR(found.of_each[k], expected(a.sum(k, k + 1)), 1e-4) << "group " << group;
    }
    EXPECT_NEAR(found.of_all, expected(a.sum(0, 4)), 1e-4) << "group " << group;
  }
}

// Two classes, one image. With all weights zero both classes have probability 1/2, so the gradients
// of one class are minus those of the other: cosines are 1 within and -1 across.
class OppositeClasses : public ::testing::TestWithParam<GssVariant> {
 protected:
  OppositeClasses()
      : learner_(testing::known_learner(2, 0)),
        memory_(3, 2),
        policy_(make_gradient(GetParam(), /*references=*/10)) {
    for (std::uint32_t row = 0; row < 60; ++row) labels_.push_back(row < 10 ? 0 : 1);
    task_ = {1, Dataset({1, 1, 2}, std::vector<std::uint8_t>(120, 80), labels_, 2)};
  }

  void offer(const std::vector<std::uint32_t>& rows, std::uint64_t seed = 1) {
    Batch batch;
    batch.gather(task_, rows);
    Rng rng = Rng(seed).fork("offer", rows[0]);
    tell_step(*policy_, memory_, batch, *learner_, rng);
  }
  std::size_t of_class(Label label) const {
    std::size_t count = 0;
    for (const Example& example : memory_.examples()) count += example.label == label ? 1 : 0;
    return count;
  }

  std::unique_ptr<Learner> learner_;
  Memory memory_;
  std::unique_ptr<MemoryPolicy> policy_;
  std::vector<Label> labels_;
  Task task_;
};

TEST_P(OppositeClasses, FillsTheMemoryInOrderOnceEach) {
  offer({0, 1});
  offer({1, 0});
  offer({2, 3, 4});  // of which one fits, and the others are too alike
  ASSERT_EQ(memory_.size(), 3u);
  for (std::uint32_t id = 0; id < 3; ++id) EXPECT_EQ(memory_[id].id, id);
}

TEST_P(OppositeClasses, KeepsWhatLooksLikeTheOffered) {
  offer({0, 1, 2});
  const Memory before = memory_;
  for (std::uint32_t row = 3; row < 10; ++row) offer({row});
  EXPECT_EQ(memory_.examples(), before.examples());
}

TEST_P(OppositeClasses, TakesWhatPointsTheOtherWay) {
  // Its score is the least there is, so it takes the slot that it draws for certain.
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    policy_ = make_gradient(GetParam(), 10);
    memory_ = Memory(3, 2);
    offer({0, 1, 2}, seed);
    offer({10}, seed);
    EXPECT_TRUE(memory_.contains(1, 10));
    EXPECT_EQ(of_class(0), 2u);
    offer({11}, seed);
    // There is one like it now; but in a batch of all three it is outvoted.
    EXPECT_EQ(memory_.contains(1, 11), GetParam() == GssVariant::greedy);
  }
}

TEST_P(OppositeClasses, GivesEveryExampleOfABatchASlotOfItsOwn) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    policy_ = make_gradient(GetParam(), 10);
    memory_ = Memory(3, 2);
    offer({0, 1, 2}, seed);
    offer({10, 11, 12}, seed);
    EXPECT_EQ(of_class(1), 3u);
  }
}

TEST_P(OppositeClasses, GivesUpHighScoresAndKeepsLowOnes) {
  // Single references, so that it is chance whether class 1 finds itself alike. What it replaces is
  // one of class 0 (score 0.1) and never one of class 1 (the least score) as long as there is one.
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    policy_ = make_gradient(GetParam(), 1);
    memory_ = Memory(3, 2);
    offer({0, 1, 2}, seed);
    std::size_t before = 0;
    for (std::uint32_t row = 10; row < 60; ++row) {
      offer({row}, seed);
      EXPECT_EQ(of_class(1), before + (memory_.contains(1, row) ? 1 : 0));
      before = of_class(1);
    }
    EXPECT_TRUE(memory_.contains(1, 10));
    EXPECT_GE(of_class(1), 2u);
  }
}

TEST_P(OppositeClasses, LeavesTheNetworkAlone) {
  const auto before = network_of(*learner_).parameters();
  offer({0, 1, 2});
  offer({10, 11});
  EXPECT_EQ(network_of(*learner_).parameters(), before);
  for (const float gradient : network_of(*learner_).gradient()) EXPECT_EQ(gradient, 0);
}

INSTANTIATE_TEST_SUITE_P(Gradient, OppositeClasses,
                         ::testing::Values(GssVariant::mammoth, GssVariant::greedy),
                         [](const auto& variant) {
                           return variant.param == GssVariant::mammoth ? "mammoth" : "greedy";
                         });

}  // namespace gradient_test
}  // namespace gps
