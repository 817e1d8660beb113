#include "gps/benchmarks/long_tailed.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "support/tiny_data.h"

namespace gps {
namespace long_tailed_test {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using Counts = std::vector<std::size_t>;
using Rows = std::vector<std::uint32_t>;

Counts class_counts(const Dataset& data, const Rows& rows) {
  Counts counts(static_cast<std::size_t>(data.classes()));
  for (const std::uint32_t row : rows) ++counts[data.label(row)];
  return counts;
}

bool are_distinct(const Rows& rows) {
  return std::set<std::uint32_t>(rows.begin(), rows.end()).size() == rows.size();
}

// 20,000 / 10 times 100^(-k/9): each class 10^(2/9) = 1.668 times rarer than the one before.
TEST(LongTailedCounts, FallByAConstantRatioFromTheCommonestToTheRarest) {
  EXPECT_THAT(long_tailed_counts(20000, 10, 100),
              ElementsAre(2000, 1199, 719, 431, 258, 155, 93, 56, 33, 20));
}

TEST(LongTailedCounts, AreEqualWithoutImbalance) {
  EXPECT_THAT(long_tailed_counts(1000, 4, 1), ElementsAre(250, 250, 250, 250));
}

TEST(LongTailedCounts, LeaveEveryClassAtLeastOneExample) {
  EXPECT_THAT(long_tailed_counts(1000, 10, 1e6), AllOf(Each(Ge(1u)), ::testing::Contains(100u)));
  EXPECT_EQ(long_tailed_counts(1000, 10, 1e6).back(), 1u);
}

TEST(LongTailedCounts, GiveASingleClassEverything) {
  EXPECT_THAT(long_tailed_counts(50, 1, 100), ElementsAre(50));
}

TEST(ChooseExamples, TakesAllOfThemInRandomOrder) {
  const Dataset data = testing::tiny_dataset(4, 25);
  Rows rows = choose_examples(data, 0, 1, Rng(1));
  EXPECT_FALSE(std::is_sorted(rows.begin(), rows.end()));
  std::sort(rows.begin(), rows.end());
  Rows all(100);
  std::iota(all.begin(), all.end(), 0u);
  EXPECT_EQ(rows, all);
}

TEST(ChooseExamples, TakesAsManyDistinctOnesAsAskedForOrThereAre) {
  const Dataset data = testing::tiny_dataset(4, 25);
  const Rows some = choose_examples(data, 30, 1, Rng(1));
  EXPECT_EQ(some.size(), 30u);
  EXPECT_TRUE(are_distinct(some));
  EXPECT_EQ(choose_examples(data, 1000, 1, Rng(1)).size(), 100u);
}

// 2,000 seeds take 3 of 12 rows each: every row 500 times, with a standard deviation of
// sqrt(2000 * 1/4 * 3/4) = 19.4. Five of them are 97; twelve rows exceed that with p < 1e-5.
TEST(ChooseExamples, TakesEveryExampleWithEqualProbability) {
  const Dataset data = testing::tiny_dataset(3, 4);
  Counts taken(12);
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    for (const std::uint32_t row : choose_examples(data, 3, 1, Rng(seed))) ++taken[row];
  }
  for (const std::size_t count : taken) EXPECT_NEAR(static_cast<double>(count), 500, 97);
}

// 1,000 / 4 times 8^(-k/3): 250, 125, 62.5 (rounded away from zero), 31.25.
TEST(ChooseExamples, GivesClassesTheLongTailedCountsInAnyOrder) {
  const Dataset data = testing::tiny_dataset(4, 250);
  const Rows rows = choose_examples(data, 0, 8, Rng(1));
  EXPECT_TRUE(are_distinct(rows));
  Counts counts = class_counts(data, rows);
  std::sort(counts.begin(), counts.end());
  EXPECT_THAT(counts, ElementsAre(31, 63, 125, 250));
}

// Each of the 24 orders of four classes has probability 1/24, so 40 seeds leave a class out of the
// first place with p = 4 * 0.75^40 = 4e-5.
TEST(ChooseExamples, DrawsTheOrderOfClassesAnewForEachStream) {
  const Dataset data = testing::tiny_dataset(4, 30);
  std::set<std::size_t> commonest;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Counts counts = class_counts(data, choose_examples(data, 0, 5, Rng(seed)));
    commonest.insert(
        static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin()));
  }
  EXPECT_THAT(commonest, ElementsAre(0, 1, 2, 3));
}

// Four rows a class: all of the commoner one, one of the rarer. Over 2,000 seeds a row is taken
// 2000 * (1/2 + 1/2 * 1/4) = 1250 times, with a standard deviation of sqrt(1250 * 3/8) = 21.7; five
// of them are 108.
TEST(ChooseExamples, TakesEveryExampleOfAClassWithEqualProbability) {
  const Dataset data = testing::tiny_dataset(2, 4);
  Counts taken(8);
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    for (const std::uint32_t row : choose_examples(data, 0, 4, Rng(seed))) ++taken[row];
  }
  for (const std::size_t count : taken) EXPECT_NEAR(static_cast<double>(count), 1250, 108);
}

TEST(ChooseExamples, TakesNoMoreOfAClassThanThereAre) {
  const Dataset data = testing::tiny_dataset(Counts{5, 300, 300, 0});
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Rows rows = choose_examples(data, 0, 2, Rng(seed));
    EXPECT_TRUE(are_distinct(rows));
    const Counts counts = class_counts(data, rows);
    EXPECT_EQ(counts[0], 5u);  // of 75 or more that the rule would give it
    EXPECT_EQ(counts[3], 0u);
  }
}

TEST(ChooseExamples, SpreadsTheTailOverTheClassesThatAreThere) {
  const Dataset data = testing::tiny_dataset(Counts{0, 100, 0, 0, 100, 0});
  Counts counts = class_counts(data, choose_examples(data, 0, 4, Rng(1)));
  std::sort(counts.begin(), counts.end());
  EXPECT_THAT(counts, ElementsAre(0, 0, 0, 0, 25, 100));
}

TEST(ChooseExamples, KeepsOneOfEveryClassHoweverSteepTheTail) {
  const Dataset data = testing::tiny_dataset(5, 20);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    EXPECT_THAT(class_counts(data, choose_examples(data, 0, 1e6, Rng(seed))), Each(Ge(1u)));
  }
}

// Class after class, the first fifth would be of one class. In random order the rarest class, a
// sixth of all, is missing among 58 rows with p = (5/6)^58 = 3e-5.
TEST(ChooseExamples, MixesTheClasses) {
  const Dataset data = testing::tiny_dataset(4, 100);
  Rows rows = choose_examples(data, 0, 2, Rng(3));
  rows.resize(rows.size() / 5);
  EXPECT_THAT(class_counts(data, rows), Each(Ge(1u)));
}

TEST(ChooseExamples, DependsOnTheStreamAlone) {
  const Dataset data = testing::tiny_dataset(4, 25);
  for (const double imbalance : {1.0, 3.0}) {
    Rng read(1);
    read.next_u32();
    const Rows rows = choose_examples(data, 30, imbalance, Rng(1));
    EXPECT_EQ(choose_examples(data, 30, imbalance, read), rows);
    EXPECT_NE(choose_examples(data, 30, imbalance, Rng(2)), rows);
  }
}

}  // namespace long_tailed_test
}  // namespace gps
