#include "gps/memory/select.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "support/tiny_data.h"

namespace gps {
namespace select_test {

using Rows = std::vector<std::uint32_t>;

// Classes of very different sizes, one of them absent.
const std::vector<std::size_t> kCounts = {17, 1, 5, 0, 9, 2};
constexpr std::size_t kExamples = 34;

Dataset uneven_data() { return testing::tiny_dataset(kCounts, 1, 4); }

bool is_prefix(const Rows& shorter, const Rows& longer) {
  return shorter.size() <= longer.size() &&
         std::equal(shorter.begin(), shorter.end(), longer.begin());
}

bool is_permutation_of_all(Rows rows, std::size_t n) {
  std::sort(rows.begin(), rows.end());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k] != k) return false;
  }
  return rows.size() == n;
}

TEST(SelectionOrders, RankEveryRowOnce) {
  const SelectionOrders orders = selection_orders(uneven_data(), Rng(1));
  EXPECT_TRUE(is_permutation_of_all(orders.ring, kExamples));
  EXPECT_TRUE(is_permutation_of_all(orders.reservoir, kExamples));
}

TEST(SelectionOrders, DependOnTheGeneratorAlone) {
  const Dataset data = uneven_data();
  const SelectionOrders a = selection_orders(data, Rng(1));
  const SelectionOrders again = selection_orders(data, Rng(1));
  const SelectionOrders other = selection_orders(data, Rng(2));
  EXPECT_EQ(a.ring, again.ring);
  EXPECT_EQ(a.reservoir, again.reservoir);
  EXPECT_NE(a.ring, other.ring);
  EXPECT_NE(a.reservoir, other.reservoir);
}

TEST(SelectionOrders, BalanceTheClassesInEveryPrefixOfTheRing) {
  const Dataset data = uneven_data();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const SelectionOrders orders = selection_orders(data, Rng(seed));
    std::vector<std::size_t> chosen(kCounts.size(), 0);
    for (const std::uint32_t row : orders.ring) {
      ++chosen[data.label(row)];
      const std::size_t largest = *std::max_element(chosen.begin(), chosen.end());
      for (std::size_t c = 0; c < chosen.size(); ++c) {
        const bool is_exhausted = chosen[c] == kCounts[c];
        if (!is_exhausted) {
          ASSERT_LE(largest, chosen[c] + 1) << "class " << c;
        }
      }
    }
  }
}

TEST(SelectionOrders, LetEachClassComeFirstEquallyOften) {
  const Dataset data = testing::tiny_dataset({6, 6, 6, 6}, 1, 4);
  constexpr int kSeeds = 4000;
  std::vector<int> first(4, 0);
  std::map<std::uint32_t, int> first_row;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const SelectionOrders orders = selection_orders(data, Rng(seed));
    ++first[data.label(orders.ring.front())];
    ++first_row[orders.ring.front()];
  }
  // Binomial(4000, 1/4): mean 1000, deviation 27.4; five of them are 137.
  for (const int count : first) EXPECT_NEAR(count, 1000, 137);
  // Binomial(4000, 1/24): mean 166.7, deviation 12.6; five of them are 63.
  EXPECT_EQ(first_row.size(), 24u);
  for (const auto& [row, count] : first_row) EXPECT_NEAR(count, 166.7, 63) << "row " << row;
}

TEST(SelectionOrders, LeaveTheReservoirToChance) {
  // Each row is among the first 8 of 34 with probability 8/34 = 0.2353, whatever its class:
  // Binomial(4000, 0.2353) has mean 941 and deviation 26.8; five of them are 134.
  const Dataset data = uneven_data();
  std::vector<int> chosen(kExamples, 0);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const SelectionOrders orders = selection_orders(data, Rng(seed));
    for (std::size_t k = 0; k < 8; ++k) ++chosen[orders.reservoir[k]];
  }
  for (const int count : chosen) EXPECT_NEAR(count, 941, 134);
}

TEST(Select, TakesAPrefixOfTheRingAndFillsUpFromTheReservoir) {
  const SelectionOrders orders = selection_orders(uneven_data(), Rng(4));
  for (std::size_t quota = 0; quota <= kExamples + 3; ++quota) {
    for (std::size_t a = 0; a <= quota; ++a) {
      const Selection chosen = select(orders, a, quota);
      EXPECT_TRUE(is_prefix(chosen.ring, orders.ring));
      EXPECT_EQ(chosen.ring.size(), std::min(a, kExamples));
      EXPECT_EQ(chosen.ring.size() + chosen.reservoir.size(), std::min(quota, kExamples));

      const std::set<std::uint32_t> ring(chosen.ring.begin(), chosen.ring.end());
      Rows rest;
      for (const std::uint32_t row : orders.reservoir) {
        if (!ring.contains(row)) rest.push_back(row);
      }
      EXPECT_TRUE(is_prefix(chosen.reservoir, rest)) << "a " << a << ", quota " << quota;
    }
  }
}

TEST(Select, KeepsItsPartsDisjoint) {
  const SelectionOrders orders = selection_orders(uneven_data(), Rng(4));
  for (std::size_t a = 0; a <= 20; ++a) {
    const Selection chosen = select(orders, a, 20);
    std::set<std::uint32_t> all(chosen.ring.begin(), chosen.ring.end());
    all.insert(chosen.reservoir.begin(), chosen.reservoir.end());
    EXPECT_EQ(all.size(), 20u);
  }
}

TEST(Select, NestsTheRingsOfDifferentSizes) {
  const SelectionOrders orders = selection_orders(uneven_data(), Rng(4));
  for (std::size_t a = 0; a < 20; ++a) {
    EXPECT_TRUE(is_prefix(select(orders, a, 20).ring, select(orders, a + 1, 20).ring));
  }
}

TEST(Select, NestsBothPartsAsTheQuotaShrinks) {
  const SelectionOrders orders = selection_orders(uneven_data(), Rng(4));
  for (std::size_t quota = 5; quota < 30; ++quota) {
    const Selection fewer = select(orders, 5, quota);
    const Selection more = select(orders, 5, quota + 1);
    EXPECT_EQ(fewer.ring, more.ring);
    EXPECT_TRUE(is_prefix(fewer.reservoir, more.reservoir));
  }
}

TEST(Select, ChangesOneExampleAtMostFromOneRingSizeToTheNext) {
  // Common random numbers: neighbouring candidates share all but one of their rows.
  const SelectionOrders orders = selection_orders(uneven_data(), Rng(4));
  const auto rows = [&](std::size_t a) {
    const Selection chosen = select(orders, a, 15);
    std::set<std::uint32_t> all(chosen.ring.begin(), chosen.ring.end());
    all.insert(chosen.reservoir.begin(), chosen.reservoir.end());
    return all;
  };
  for (std::size_t a = 0; a < 15; ++a) {
    const auto here = rows(a);
    const auto next = rows(a + 1);
    Rows shared;
    std::set_intersection(here.begin(), here.end(), next.begin(), next.end(),
                          std::back_inserter(shared));
    EXPECT_GE(shared.size(), 14u) << "a " << a;
  }
}

TEST(SelectionOrders, WithoutSomeRowsKeepTheOrderOfTheRest) {
  const SelectionOrders orders = selection_orders(uneven_data(), Rng(4));
  std::vector<bool> is_excluded(kExamples, false);
  for (std::size_t row = 0; row < kExamples; row += 3) is_excluded[row] = true;
  const SelectionOrders rest = orders.without(is_excluded);

  const auto expected = [&](const Rows& all) {
    Rows kept;
    for (const std::uint32_t row : all) {
      if (row % 3 != 0) kept.push_back(row);
    }
    return kept;
  };
  EXPECT_EQ(rest.ring, expected(orders.ring));
  EXPECT_EQ(rest.reservoir, expected(orders.reservoir));
}

TEST(SelectionOrders, PutPreferredRowsFirstOfAllAndFirstOfTheirClass) {
  const Dataset data = uneven_data();
  const SelectionOrders plain = selection_orders(data, Rng(4));
  Preferred preferred{std::vector<bool>(kExamples, false), std::vector<bool>(kExamples, false)};
  for (std::size_t row = 0; row < kExamples; row += 2) preferred.ring[row] = true;
  for (std::size_t row = 0; row < kExamples; row += 5) preferred.reservoir[row] = true;
  const SelectionOrders orders = selection_orders(data, Rng(4), preferred);

  const auto preferred_first = [](Rows rows, const std::vector<bool>& marks) {
    std::stable_partition(rows.begin(), rows.end(), [&](std::uint32_t row) { return marks[row]; });
    return rows;
  };
  const auto of_class = [&](Rows rows, Label label) {
    std::erase_if(rows, [&](std::uint32_t row) { return data.label(row) != label; });
    return rows;
  };
  EXPECT_EQ(orders.reservoir, preferred_first(plain.reservoir, preferred.reservoir));
  ASSERT_EQ(orders.ring.size(), kExamples);
  for (std::size_t k = 0; k < kExamples; ++k) {
    EXPECT_EQ(data.label(orders.ring[k]), data.label(plain.ring[k])) << "classes take turns alike";
  }
  for (Label label = 0; label < data.classes(); ++label) {
    EXPECT_EQ(of_class(orders.ring, label),
              preferred_first(of_class(plain.ring, label), preferred.ring));
  }
}

}  // namespace select_test
}  // namespace gps
