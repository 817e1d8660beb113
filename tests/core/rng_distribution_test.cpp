// What is random about Rng: each claim of a distribution against Pearson's chi-square.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "gps/core/rng.h"

namespace gps {
namespace rng_distribution_test {

// Pearson's statistic of counts that should all be equal.
double chi_square(const std::vector<int>& counts) {
  double total = 0;
  for (const int count : counts) total += count;
  const double expected = total / static_cast<double>(counts.size());
  double sum = 0;
  for (const int count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

// The same of outcomes that are counted by name.
template <typename Key>
double chi_square(const std::map<Key, int>& counts) {
  std::vector<int> values;
  values.reserve(counts.size());
  for (const auto& [key, count] : counts) values.push_back(count);
  return chi_square(values);
}

// What a sound generator exceeds with a probability below 1e-6, for counts.size() - 1 degrees of
// freedom.
constexpr double kBound2 = 30;   // 3.1e-7
constexpr double kBound9 = 45;   // 9.2e-7
constexpr double kBound15 = 60;  // 2.5e-7
constexpr double kBound23 = 75;  // 2.0e-7

TEST(Rng, ForksOfConsecutiveNumbersAreUnrelated) {
  const Rng rng(8);
  std::vector<int> first(16);
  std::vector<int> step(16);  // from one fork to the next
  std::uint32_t last = 0;
  for (int i = 0; i < 16000; ++i) {
    const std::uint32_t word = rng.fork("epoch", i).next_u32();
    ++first[word >> 28];
    ++step[(word - last) >> 28];
    last = word;
  }
  EXPECT_LT(chi_square(first), kBound15);
  EXPECT_LT(chi_square(step), kBound15);
}

TEST(Rng, UniformFillsTheUnitInterval) {
  Rng rng(10);
  constexpr int kDraws = 100000;
  double sum = 0;
  std::vector<int> tenths(10);
  for (int i = 0; i < kDraws; ++i) {
    const double draw = rng.uniform();
    ASSERT_GE(draw, 0);
    ASSERT_LT(draw, 1);
    sum += draw;
    ++tenths[static_cast<std::size_t>(10 * draw)];
  }
  // The mean's standard deviation is 1/sqrt(12 * draws); five of them.
  EXPECT_NEAR(sum / kDraws, 0.5, 5 / std::sqrt(12.0 * kDraws));
  EXPECT_LT(chi_square(tenths), kBound9);
}

TEST(Rng, IndexIsUniform) {
  Rng rng(11);
  std::vector<int> counts(10);
  for (int i = 0; i < 100000; ++i) ++counts.at(rng.index(10));
  EXPECT_LT(chi_square(counts), kBound9);
}

// Bounds of three quarters of the range of a word: mapping words to them without rejection would
// make one outcome in three twice as likely as the others.
TEST(Rng, IndexHasNoBiasForBoundsNearTheRangeOfAWord) {
  Rng rng(13);
  std::vector<int> small(3);
  std::vector<int> large(3);
  for (int i = 0; i < 30000; ++i) {
    ++small.at(rng.index(std::uint64_t{3} << 30) % 3);
    ++large.at(rng.index(std::uint64_t{3} << 62) >> 62);
  }
  EXPECT_LT(chi_square(small), kBound2);
  EXPECT_LT(chi_square(large), kBound2);
}

TEST(Rng, ShuffleGivesEveryOrderWithEqualProbability) {
  Rng rng(14);
  std::map<std::vector<int>, int> orders;
  for (int i = 0; i < 24000; ++i) {
    std::vector<int> items = {1, 2, 3, 4};
    rng.shuffle(std::span(items));
    ++orders[items];
  }
  ASSERT_EQ(orders.size(), 24u);
  EXPECT_LT(chi_square(orders), kBound23);
}

TEST(Rng, DistinctGivesEverySubsetWithEqualProbability) {
  Rng rng(18);
  std::map<std::set<std::uint32_t>, int> subsets;
  std::vector<std::uint32_t> out;
  for (int i = 0; i < 20000; ++i) {
    rng.distinct(2, 5, out);
    ++subsets[{out.begin(), out.end()}];
  }
  ASSERT_EQ(subsets.size(), 10u);
  EXPECT_LT(chi_square(subsets), kBound9);
}

// Each number is drawn with probability 1/2, and each pair of neighbours with probability
// (100 · 99)/(200 · 199). Six standard deviations of a binomial; with the normal approximation, one
// of the 399 counts exceeds them with a probability below 1e-6.
TEST(Rng, DistinctGivesEveryNumberAndPairOfMany) {
  Rng rng(22);
  constexpr int kTimes = 2000;
  constexpr std::size_t kNumbers = 200;
  std::vector<int> singles(kNumbers);
  std::vector<int> pairs(kNumbers - 1);
  std::vector<std::uint32_t> out;
  for (int i = 0; i < kTimes; ++i) {
    rng.distinct(kNumbers / 2, kNumbers, out);
    std::vector<bool> is_drawn(kNumbers);
    for (const std::uint32_t number : out) is_drawn.at(number) = true;
    for (std::size_t k = 0; k < kNumbers; ++k) singles[k] += is_drawn[k] ? 1 : 0;
    for (std::size_t k = 0; k + 1 < kNumbers; ++k)
      pairs[k] += is_drawn[k] && is_drawn[k + 1] ? 1 : 0;
  }
  const auto expect_near = [](const std::vector<int>& counts, double probability) {
    const double expected = kTimes * probability;
    const double bound = 6 * std::sqrt(expected * (1 - probability));
    for (std::size_t k = 0; k < counts.size(); ++k) EXPECT_NEAR(counts[k], expected, bound) << k;
  };
  expect_near(singles, 0.5);
  expect_near(pairs, 100.0 * 99 / (200 * 199));
}

}  // namespace rng_distribution_test
}  // namespace gps
