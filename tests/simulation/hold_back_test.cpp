#include <gtest/gtest.h>

#include <algorithm>

#include "gps/simulation/global_sim.h"
#include "support/tiny_data.h"

namespace gps {
namespace hold_back_test {

using Counts = std::vector<std::size_t>;

Dataset data_of(const Counts& counts) { return testing::tiny_dataset(counts, 1, /*side=*/4); }

// How many rows of each class are held back.
Counts held_back(const Counts& counts, Score score, std::size_t most, std::uint64_t seed = 1) {
  const Dataset data = data_of(counts);
  const std::vector<bool> marks = hold_back(data, score, most, Rng(seed));
  EXPECT_EQ(marks.size(), data.size());
  Counts held(counts.size(), 0);
  for (std::size_t row = 0; row < data.size(); ++row) {
    if (marks[row]) ++held[data.label(row)];
  }
  return held;
}

std::size_t total(const Counts& counts) {
  std::size_t sum = 0;
  for (const std::size_t count : counts) sum += count;
  return sum;
}

TEST(HoldBackNatural, TakesAsManyAsAskedFor) {
  for (const std::size_t most : {1U, 7U, 20U}) {
    EXPECT_EQ(total(held_back({30, 20}, Score::natural, most)), most);
  }
}

TEST(HoldBackNatural, TakesAtMostHalfOfTheTask) {
  EXPECT_EQ(total(held_back({30, 20}, Score::natural, 2000)), 25u);
  EXPECT_EQ(total(held_back({3, 2}, Score::natural, 2000)), 2u);
}

TEST(HoldBackNatural, TakesAtLeastOne) {
  EXPECT_EQ(total(held_back({1}, Score::natural, 2000)), 1u);
  EXPECT_EQ(total(held_back({0, 1}, Score::natural, 2000)), 1u);
}

TEST(HoldBackNatural, TakesTheClassesAsTheyCome) {
  // 10 of 40 rows, 30 of them of class 0: hypergeometric with mean 7.5 and variance
  // 10 · 3/4 · 1/4 · 30/39 = 1.44. Over 400 seeds the sum has mean 3000 and deviation 24; five of
  // them are 120.
  std::size_t of_class_0 = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    of_class_0 += held_back({30, 10}, Score::natural, 10, seed)[0];
  }
  EXPECT_NEAR(static_cast<double>(of_class_0), 3000, 120);
}

TEST(HoldBackBalanced, TakesAsManyOfEachClass) {
  EXPECT_EQ(held_back({30, 20, 10}, Score::balanced, 12), (Counts{4, 4, 4}));
  EXPECT_EQ(held_back({30, 20, 10}, Score::balanced, 14), (Counts{4, 4, 4}));
}

TEST(HoldBackBalanced, SharesOutAmongTheClassesThatAreThere) {
  EXPECT_EQ(held_back({0, 30, 0, 20}, Score::balanced, 12), (Counts{0, 6, 0, 6}));
}

TEST(HoldBackBalanced, TakesAtMostHalfOfAClass) {
  EXPECT_EQ(held_back({30, 7, 2}, Score::balanced, 36), (Counts{12, 3, 1}));
}

TEST(HoldBackBalanced, TakesAtLeastOneOfEachClassThatIsThere) {
  EXPECT_EQ(held_back({30, 1, 0}, Score::balanced, 24), (Counts{12, 1, 0}));
  EXPECT_EQ(held_back({30, 5, 9}, Score::balanced, 1), (Counts{1, 1, 1}));
}

TEST(HoldBack, TakesDifferentRowsForDifferentSeedsAndTheSameForTheSame) {
  const Dataset data = data_of({30, 20});
  for (const Score score : {Score::natural, Score::balanced}) {
    EXPECT_EQ(hold_back(data, score, 10, Rng(1)), hold_back(data, score, 10, Rng(1)));
    EXPECT_NE(hold_back(data, score, 10, Rng(1)), hold_back(data, score, 10, Rng(2)));
  }
}

}  // namespace hold_back_test
}  // namespace gps
