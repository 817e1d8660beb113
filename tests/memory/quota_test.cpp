#include "gps/memory/quota.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "gps/core/rng.h"

namespace gps {
namespace quota_test {

using Sizes = std::vector<std::size_t>;

std::size_t sum(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
}

// |M_{i,1}|, …, |M_{i,i}| where every task has more than enough.
Sizes equal_quotas(std::size_t capacity, std::size_t tasks) {
  return task_quotas(capacity, Sizes(tasks, capacity + 1));
}

TEST(Deal, GivesHandComputedShares) {
  EXPECT_EQ(deal(10, Sizes{9, 9, 9}), (Sizes{4, 3, 3}));
  EXPECT_EQ(deal(10, Sizes{9, 1, 9}), (Sizes{5, 1, 4}));
  EXPECT_EQ(deal(10, Sizes{0, 2, 20}), (Sizes{0, 2, 8}));
  EXPECT_EQ(deal(10, Sizes{1, 2, 3}), (Sizes{1, 2, 3}));
  EXPECT_EQ(deal(2, Sizes{5, 5, 5}), (Sizes{1, 1, 0}));
  EXPECT_EQ(deal(0, Sizes{5, 5}), (Sizes{0, 0}));
  EXPECT_EQ(deal(7, Sizes{}), (Sizes{}));
}

class DealToRandomTakers : public ::testing::Test {
 protected:
  // Calls check(total, available, shares) for many inputs, small enough that takers are often full,
  // empty or equal.
  template <typename Check>
  static void for_many(const Check& check) {
    Rng rng(3);
    for (int round = 0; round < 3000; ++round) {
      Sizes available(1 + rng.index(12));
      const std::uint64_t most = 1 + rng.index(20);
      for (std::size_t& size : available) size = rng.index(most + 1);
      const std::size_t total = rng.index(120);
      SCOPED_TRACE(::testing::Message()
                   << "total " << total << ", available " << ::testing::PrintToString(available));
      check(total, available, deal(total, available));
    }
  }
};

TEST_F(DealToRandomTakers, UsesEverySlotThatCanBeUsed) {
  for_many([](std::size_t total, const Sizes& available, const Sizes& shares) {
    EXPECT_EQ(sum(shares), std::min(total, sum(available)));
  });
}

TEST_F(DealToRandomTakers, GivesNobodyMoreThanTheyCanUse) {
  for_many([](std::size_t, const Sizes& available, const Sizes& shares) {
    ASSERT_EQ(shares.size(), available.size());
    for (std::size_t k = 0; k < shares.size(); ++k) EXPECT_LE(shares[k], available[k]);
  });
}

TEST_F(DealToRandomTakers, FavoursNobodyByMoreThanOne) {
  for_many([](std::size_t, const Sizes& available, const Sizes& shares) {
    const std::size_t largest = *std::max_element(shares.begin(), shares.end());
    for (std::size_t k = 0; k < shares.size(); ++k) {
      const bool is_full = shares[k] == available[k];
      if (!is_full) {
        EXPECT_LE(largest, shares[k] + 1) << "taker " << k;
      }
    }
  });
}

TEST_F(DealToRandomTakers, GivesTheSpareOnesToTheFirst) {
  for_many([](std::size_t, const Sizes& available, const Sizes& shares) {
    for (std::size_t k = 0; k < shares.size(); ++k) {
      for (std::size_t later = k + 1; later < shares.size(); ++later) {
        const bool is_full = shares[k] == available[k];
        if (!is_full) {
          EXPECT_GE(shares[k], shares[later]) << k << " before " << later;
        }
      }
    }
  });
}

TEST(TaskQuotas, AreThePapersWhereNobodyIsShort) {
  for (std::size_t capacity = 1; capacity <= 60; ++capacity) {
    for (std::size_t i = 1; i <= 15; ++i) {
      const Sizes quotas = equal_quotas(capacity, i);
      ASSERT_EQ(quotas.size(), i);
      EXPECT_EQ(sum(quotas), capacity);
      for (std::size_t j = 1; j <= i; ++j) {
        // ceil((|M| - j + 1)/i), which is 0 where j is beyond the last slot.
        const std::size_t expected = j > capacity ? 0 : (capacity - j + 1 + i - 1) / i;
        EXPECT_EQ(quotas[j - 1], expected) << "|M| " << capacity << ", i " << i << ", j " << j;
      }
    }
  }
}

TEST(TaskQuotas, NeverGrowAsTasksArrive) {
  for (std::size_t capacity = 1; capacity <= 60; ++capacity) {
    for (std::size_t i = 2; i <= 15; ++i) {
      const Sizes before = equal_quotas(capacity, i - 1);
      const Sizes after = equal_quotas(capacity, i);
      for (std::size_t j = 0; j < before.size(); ++j) {
        EXPECT_LE(after[j], before[j]) << "|M| " << capacity << ", i " << i << ", j " << j + 1;
      }
    }
  }
}

TEST(TaskQuotas, OfWhatIsStoredNeverGrowAndUseEverySlot) {
  // A stream in which tasks may be short: each quota is what the next deal can count on.
  Rng rng(5);
  for (int round = 0; round < 200; ++round) {
    const std::size_t capacity = 1 + rng.index(60);
    Sizes stored;
    std::size_t offered = 0;
    for (int i = 1; i <= 15; ++i) {
      Sizes available = stored;
      available.push_back(rng.index(20));
      offered += available.back();
      stored = task_quotas(capacity, available);
      for (std::size_t j = 0; j < stored.size(); ++j) EXPECT_LE(stored[j], available[j]);
      EXPECT_EQ(sum(stored), std::min(capacity, offered));
    }
  }
}

}  // namespace quota_test
}  // namespace gps
