#include "gps/nn/softmax.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace gps {
namespace softmax_test {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> softmax_of(std::vector<float> logits) {
  softmax(logits);
  return logits;
}

// Both types of the sum, which must agree as far as floats can tell.
void expect_cross_entropy(const std::vector<float>& logits, std::size_t label, double expected) {
  const double slack = 1e-6 * std::max(1.0, expected);
  EXPECT_NEAR(cross_entropy<float>(logits, label), expected, slack);
  EXPECT_NEAR(cross_entropy<double>(logits, label), expected, slack);
}

// Softmax of (0, ln 3) is (1/4, 3/4).
TEST(Softmax, OfTwoClassesIsAsComputedByHand) {
  const std::vector<float> shares = softmax_of({0, std::log(3.0f)});
  EXPECT_NEAR(shares[0], 0.25, 1e-7);
  EXPECT_NEAR(shares[1], 0.75, 1e-7);
  EXPECT_EQ(softmax_of({5}), std::vector<float>{1});
  EXPECT_EQ(softmax_of({7, 7, 7, 7}), std::vector<float>(4, 0.25f));
}

TEST(Softmax, HasNoOverflow) {
  EXPECT_EQ(softmax_of({1e30f, 0, 1e30f}), (std::vector<float>{0.5f, 0, 0.5f}));
  EXPECT_EQ(softmax_of({-1e30f, -1e30f}), (std::vector<float>{0.5f, 0.5f}));
  EXPECT_EQ(softmax_of({1, -kInfinity}), (std::vector<float>{1, 0}));
}

TEST(Softmax, OfNanIsNan) {
  for (const std::vector<float>& logits : {std::vector<float>{kNan, 1, 2}, {1, kNan, 2}}) {
    for (const float share : softmax_of(logits)) EXPECT_TRUE(std::isnan(share));
  }
}

TEST(Exponentials, AreRelativeToTheLargestLogit) {
  std::vector<float> logits = {100, 100, 100 - std::log(2.0f)};
  EXPECT_NEAR(exponentials(logits), 2.5, 1e-5);  // a logit near 100 is good to 4e-6
  EXPECT_EQ(logits[0], 1);
  EXPECT_EQ(logits[1], 1);
  EXPECT_NEAR(logits[2], 0.5, 1e-5);
}

TEST(CrossEntropyOfARow, IsAsComputedByHand) {
  expect_cross_entropy({0, std::log(3.0f)}, 0, std::log(4.0));
  expect_cross_entropy({0, std::log(3.0f)}, 1, std::log(4.0 / 3));
  expect_cross_entropy({2, 2, 2, 2, 2}, 3, std::log(5.0));
  expect_cross_entropy({-3}, 0, 0);
}

TEST(CrossEntropyOfARow, HasNoOverflow) {
  expect_cross_entropy({1e4f, 0}, 0, 0);
  expect_cross_entropy({1e4f, 0}, 1, 1e4);
  expect_cross_entropy({1e30f, -1e30f}, 1, 2e30);
  const std::vector<float> low = {-1e4f, -1e4f};
  EXPECT_NEAR(cross_entropy<float>(low, 0), std::log(2.0), 5e-4);  // floats near 1e4 are 1e-3 apart
  EXPECT_NEAR(cross_entropy<double>(low, 0), std::log(2.0), 1e-15);
}

TEST(CrossEntropyOfARow, LeavesOutClassesThatCannotBe) {
  expect_cross_entropy({0, -kInfinity, std::log(3.0f)}, 0, std::log(4.0));
  EXPECT_EQ(cross_entropy<float>(std::vector<float>{0, -kInfinity}, 1), kInfinity);
  EXPECT_EQ(cross_entropy<double>(std::vector<float>{0, -kInfinity}, 1), kInfinity);
}

TEST(CrossEntropyOfARow, OfNanOrOfInfinityIsNan) {
  for (const std::vector<float>& logits : {std::vector<float>{kNan, 1, 2},
                                           {1, kNan, 2},
                                           {1, 2, kNan},
                                           {1, kInfinity, 2},
                                           {-kInfinity, -kInfinity}}) {
    for (std::size_t label = 0; label < logits.size(); ++label) {
      EXPECT_TRUE(std::isnan(cross_entropy<float>(logits, label)));
      EXPECT_TRUE(std::isnan(cross_entropy<double>(logits, label)));
    }
  }
}

// A sum of floats forgets what is below 6e-8 of it, a sum of doubles does not.
TEST(CrossEntropyOfARow, OfDoublesSeesWhatFloatsForget) {
  const std::vector<float> logits = {0, -20};
  EXPECT_EQ(cross_entropy<float>(logits, 0), 0);
  EXPECT_NEAR(cross_entropy<double>(logits, 0), std::exp(-20.0), 1e-15);
}

}  // namespace softmax_test
}  // namespace gps
