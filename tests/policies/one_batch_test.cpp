#include <gtest/gtest.h>

#include "policies/policy_contract.h"

namespace gps {
namespace one_batch_test {

TEST(OneBatch, StoresOneBatchOfEachTaskWhenItEnds) {
  const auto tasks = testing::streams(4, 4)[0].tasks;  // 36 examples each
  const auto policy = make_one_batch(10);
  const auto records = testing::drive(*policy, tasks, 100);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(records[i].before.size(), 10 * i);
    EXPECT_EQ(records[i].largest, 10 * (i + 1)) << "before the task's end";
    for (int task = 1; task <= static_cast<int>(i) + 1; ++task) {
      EXPECT_EQ(records[i].after.count(task), 10u);
    }
  }
}

TEST(OneBatch, StoresAWholeTaskThatIsSmallerThanABatch) {
  const auto policy = make_one_batch(10);
  const auto records = testing::drive(*policy, {testing::scrambled_task(1, {3, 2})}, 100);
  EXPECT_EQ(records[0].after.size(), 5u);
}

TEST(OneBatch, KeepsAllBatchesAlikeOnceTheMemoryIsFull) {
  // Four batches of ten for twelve slots: over many seeds each task has three of them.
  const auto tasks = testing::streams(4, 4)[0].tasks;
  constexpr int kSeeds = 300;
  std::vector<double> stored(4, 0);
  for (int seed = 0; seed < kSeeds; ++seed) {
    const auto policy = make_one_batch(10);
    const Memory last =
        testing::drive(*policy, tasks, 12, static_cast<std::uint64_t>(seed)).back().after;
    EXPECT_EQ(last.size(), 12u);
    for (int task = 1; task <= 4; ++task) {
      stored[static_cast<std::size_t>(task) - 1] += static_cast<double>(last.count(task));
    }
  }
  // Hypergeometric: variance 12 · 1/4 · 3/4 · 28/39 = 1.62 a run, 0.073 in the mean; five of them.
  for (const double count : stored) EXPECT_NEAR(count / kSeeds, 3, 0.37);
}

}  // namespace one_batch_test
}  // namespace gps
