#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "gps/policies/policy.h"
#include "gps/policies/reservoir_sampler.h"
#include "policies/policy_contract.h"

namespace gps {
namespace reservoir_test {

Task plain_task(int number, std::size_t examples) {
  return {number, testing::tiny_dataset(1, examples, 1, testing::kSide)};
}

// Offers every example of the task once, in the order of its rows.
void present(MemoryPolicy& policy, Memory& memory, const Task& task, Rng& rng) {
  std::vector<std::uint32_t> rows(task.train.size());
  std::iota(rows.begin(), rows.end(), 0u);
  Batch batch;
  batch.gather(task, rows);
  policy.observe(memory, batch, rng);
}

TEST(Reservoir, StoresEverythingWhileThereIsRoom) {
  const Task task = plain_task(1, 12);
  const auto policy = make_reservoir();
  Memory memory(12, testing::kImageBytes);
  Rng rng(1);
  policy->begin_task(memory, task, rng);
  present(*policy, memory, task, rng);
  ASSERT_EQ(memory.size(), 12u);
  for (std::uint32_t k = 0; k < 12; ++k) EXPECT_EQ(memory[k].id, k);
}

TEST(Reservoir, KeepsEveryExampleWithEqualProbability) {
  struct Setting {
    std::size_t capacity;
    std::size_t examples;
  };
  constexpr int kSeeds = 10000;
  for (const auto [capacity, examples] : {Setting{1, 2}, {3, 8}, {5, 6}, {10, 40}}) {
    SCOPED_TRACE(::testing::Message() << capacity << " of " << examples);
    // Two tasks, so that neither the task nor the place in it matters either.
    const std::size_t first = examples / 2;
    const Task tasks[] = {plain_task(1, first), plain_task(2, examples - first)};
    std::vector<int> kept(examples, 0);
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      const auto policy = make_reservoir();
      Memory memory(capacity, testing::kImageBytes);
      for (const Task& task : tasks) {
        Rng rng = Rng(seed).fork("task", task.number);
        policy->begin_task(memory, task, rng);
        present(*policy, memory, task, rng);
      }
      for (const Example& e : memory.examples()) ++kept[e.id + (e.task == 1 ? 0 : first)];
    }
    const double p = static_cast<double>(capacity) / static_cast<double>(examples);
    const double mean = kSeeds * p;
    const double variance = kSeeds * p * (1 - p);
    const auto n = static_cast<double>(examples);
    double chi_square = 0;
    for (std::size_t k = 0; k < examples; ++k) {
      // Five deviations of a binomial.
      EXPECT_NEAR(kept[k], mean, 5 * std::sqrt(variance)) << "example " << k;
      chi_square += std::pow(kept[k] - mean, 2) / variance * (n - 1) / n;
    }
    // Chi-square with n - 1 degrees of freedom: mean n - 1, variance 2(n - 1). Six deviations, and
    // as many again of one degree of freedom for its longer tail.
    EXPECT_LT(chi_square, n - 1 + 6 * std::sqrt(2 * (n - 1)) + 6 * std::sqrt(2.0));
  }
}

TEST(Reservoir, StoresAnExampleOfferedAgainOnlyOnce) {
  const Task task = plain_task(1, 9);
  for (const std::size_t capacity : {4U, 9U, 20U}) {
    const auto policy = make_reservoir();
    Memory memory(capacity, testing::kImageBytes);
    Rng rng(1);
    policy->begin_task(memory, task, rng);
    for (int epoch = 0; epoch < 20; ++epoch) {
      present(*policy, memory, task, rng);
      std::set<std::uint32_t> ids;
      for (const Example& example : memory.examples()) ids.insert(example.id);
      EXPECT_EQ(ids.size(), memory.size());
      EXPECT_EQ(memory.size(), std::min<std::size_t>(capacity, 9));
    }
  }
}

TEST(Reservoir, TellsApartTheSameIdOfTwoTasks) {
  const auto policy = make_reservoir();
  Memory memory(10, testing::kImageBytes);
  Rng rng(1);
  for (const int number : {1, 2}) {
    const Task task = plain_task(number, 5);
    policy->begin_task(memory, task, rng);
    present(*policy, memory, task, rng);
  }
  EXPECT_EQ(memory.count(1), 5u);
  EXPECT_EQ(memory.count(2), 5u);
}

TEST(Reservoir, GivesEachTaskItsShareOfThePresentations) {
  // Two tasks of 20, |M| = 10: each slot is of task 2 with probability 1/2. 2000 streams have
  // 20000 slots; one stream's count is hypergeometric with variance 10/4 · 30/39 = 1.92, so the sum
  // has mean 10000 and deviation 62; five of them are 310.
  const Task tasks[] = {plain_task(1, 20), plain_task(2, 20)};
  int of_second = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const auto policy = make_reservoir();
    Memory memory(10, testing::kImageBytes);
    for (const Task& task : tasks) {
      Rng rng = Rng(seed).fork("task", task.number);
      policy->begin_task(memory, task, rng);
      present(*policy, memory, task, rng);
    }
    of_second += static_cast<int>(memory.count(2));
  }
  EXPECT_NEAR(of_second, 10000, 310);
}

TEST(ReservoirSampler, TouchesNoSlotBeforeItsFirst) {
  const Task old = plain_task(1, 3);
  const Task task = plain_task(2, 30);
  Memory memory(8, testing::kImageBytes);
  Rng rng(1);
  Batch batch;
  batch.gather(old, std::vector<std::uint32_t>{0, 1, 2});
  for (std::size_t k = 0; k < 3; ++k) memory.add(memory.make_example(batch, k, Part::ring));
  const std::vector<Example> before = memory.examples();

  ReservoirSampler sampler(3, 4);
  for (std::uint32_t row = 0; row < 30; ++row) {
    batch.gather(task, {&row, 1});
    sampler.offer(memory, batch, 0, rng);
    EXPECT_EQ(memory.size(), std::min<std::size_t>(3 + row + 1, 7));
  }
  EXPECT_EQ(std::vector(memory.examples().begin(), memory.examples().begin() + 3), before);
}

TEST(ReservoirSampler, ReturnsTheExampleThatLeaves) {
  const Task task = plain_task(1, 40);
  Memory memory(4, testing::kImageBytes);
  Rng rng(1);
  Batch batch;
  ReservoirSampler sampler(0, 4);
  int left = 0;
  for (std::uint32_t row = 0; row < 40; ++row) {
    const Memory before = memory;
    batch.gather(task, {&row, 1});
    const auto leaving = sampler.offer(memory, batch, 0, rng);
    if (!leaving) {
      EXPECT_EQ(memory.contains(1, row), row < 4);
      continue;
    }
    ++left;
    EXPECT_TRUE(before.contains(1, leaving->id));
    EXPECT_FALSE(memory.contains(1, leaving->id));
    EXPECT_TRUE(memory.contains(1, row));
  }
  EXPECT_GT(left, 0);
}

TEST(ReservoirSampler, StoresNothingWithoutSlots) {
  const Task task = plain_task(1, 5);
  Memory memory(4, testing::kImageBytes);
  Rng rng(1);
  Batch batch;
  batch.gather(task, std::vector<std::uint32_t>{0});
  ReservoirSampler sampler(0, 0);
  EXPECT_FALSE(sampler.offer(memory, batch, 0, rng).has_value());
  EXPECT_TRUE(memory.is_empty());
}

TEST(NoMemory, StoresNothing) {
  const auto policy = make_no_memory();
  const auto records = testing::drive(*policy, testing::streams(4, 3)[0].tasks, 10);
  for (const testing::Record& record : records) EXPECT_EQ(record.largest, 0u);
}

}  // namespace reservoir_test
}  // namespace gps
