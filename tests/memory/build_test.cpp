#include "gps/memory/build.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/tiny_data.h"

namespace gps {
namespace build_test {

constexpr std::size_t kBytes = 16;

Task tiny_task(int number, std::size_t per_class = 10) {
  return {number,
          testing::tiny_dataset(4, per_class, static_cast<std::uint64_t>(number), /*side=*/4)};
}

SelectionOrders orders_of(const Task& task) {
  return selection_orders(task.train, Rng(9).fork("task", task.number));
}

std::vector<std::uint32_t> ids(const Memory& memory, int task, Part part) {
  std::vector<std::uint32_t> found;
  for (const Example& example : memory.examples()) {
    if (example.task == task && example.part == part) found.push_back(example.id);
  }
  return found;
}

std::size_t count(const Memory& memory, int task, Part part) {
  return ids(memory, task, part).size();
}

// M_1, …, M_i with these ring sizes, each capped by its quota.
Memory build_stream(std::size_t capacity, const std::vector<std::size_t>& ring_sizes) {
  Memory memory(capacity, kBytes);
  for (std::size_t k = 0; k < ring_sizes.size(); ++k) {
    const Task task = tiny_task(static_cast<int>(k) + 1);
    const std::size_t quota = quota_of(memory, task, task.train.size());
    build_memory(memory, task, orders_of(task), {.ring_size = std::min(ring_sizes[k], quota)});
  }
  return memory;
}

TEST(Quotas, CountStoredTasksAndTheOneThatEnds) {
  const Memory memory = build_stream(20, {5, 5});
  const Quotas quotas = quotas_with(memory, 3, 40);
  EXPECT_EQ(quotas.tasks, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(quotas.sizes, (std::vector<std::size_t>{7, 7, 6}));
  EXPECT_EQ(quotas.of(3), 6u);
  EXPECT_EQ(quotas.of(9), 0u);
}

TEST(Quotas, DoNotCountWhatTheMemoryHoldsOfTheTaskThatEnds) {
  const Memory memory = build_stream(20, {5, 5});
  const Quotas quotas = quotas_with(memory, 2, 40);
  EXPECT_EQ(quotas.sizes, (std::vector<std::size_t>{10, 10}));
  // Only 3 of them left to choose from: task 1 keeps no more than the 10 it has.
  EXPECT_EQ(quotas_with(memory, 2, 3).sizes, (std::vector<std::size_t>{10, 3}));
}

TEST(Shrink, DropsTheReservoirPartBeforeTheRingPart) {
  const Memory whole = build_stream(12, {5});
  const auto ring = ids(whole, 1, Part::ring);
  const auto reservoir = ids(whole, 1, Part::reservoir);
  ASSERT_EQ(ring.size(), 5u);
  ASSERT_EQ(reservoir.size(), 7u);
  for (std::size_t size = 0; size <= 12; ++size) {
    Memory memory = whole;
    shrink(memory, {{1}, {size}});
    const std::size_t ring_size = std::min<std::size_t>(5, size);
    EXPECT_EQ(ids(memory, 1, Part::ring),
              std::vector(ring.begin(), ring.begin() + static_cast<std::ptrdiff_t>(ring_size)));
    EXPECT_EQ(ids(memory, 1, Part::reservoir),
              std::vector(reservoir.begin(),
                          reservoir.begin() + static_cast<std::ptrdiff_t>(size - ring_size)));
  }
}

TEST(Shrink, DropsTasksWithoutAQuota) {
  Memory memory = build_stream(12, {5, 2});
  shrink(memory, {{2}, {6}});
  EXPECT_EQ(memory.count(1), 0u);
  EXPECT_EQ(memory.count(2), 6u);
}

TEST(Shrink, LeavesAloneWhatFits) {
  Memory memory = build_stream(12, {5, 2});
  const std::vector<Example> before = memory.examples();
  shrink(memory, {{1, 2}, {6, 9}});
  EXPECT_EQ(memory.examples(), before);
}

TEST(BuildMemory, StoresTheSelectedRowsInBothParts) {
  const Task task = tiny_task(1);
  const SelectionOrders orders = orders_of(task);
  for (std::size_t a = 0; a <= 12; ++a) {
    Memory memory(12, kBytes);
    build_memory(memory, task, orders, {.ring_size = a});
    const Selection chosen = select(orders, a, 12);
    EXPECT_EQ(ids(memory, 1, Part::ring), chosen.ring);
    EXPECT_EQ(ids(memory, 1, Part::reservoir), chosen.reservoir);
  }
}

TEST(BuildMemory, StoresTheTasksOwnImagesAndLabels) {
  const Task plain = tiny_task(1);
  const PixelMap reversal = {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
  const Task task{2, plain.train.rearranged(reversal)};
  Memory memory(40, kBytes);
  build_memory(memory, task, orders_of(task), {.ring_size = 20});
  ASSERT_EQ(memory.size(), 40u);
  std::vector<std::uint8_t> scratch(kBytes);
  for (const Example& example : memory.examples()) {
    const std::uint8_t* image = plain.train.image(example.id, scratch);
    EXPECT_TRUE(std::equal(std::reverse_iterator(image + kBytes), std::reverse_iterator(image),
                           example.image.get()));
    EXPECT_EQ(example.label, plain.train.label(example.id));
  }
}

TEST(BuildMemory, ReplacesTheRunningPartOfTheTask) {
  const Task first = tiny_task(1);
  const Task second = tiny_task(2);
  Memory running = build_stream(12, {5});
  shrink(running, {{1}, {6}});
  Memory clean = running;
  Batch batch;
  for (std::uint32_t row = 30; row < 36; ++row) {
    batch.gather(second, {&row, 1});
    running.add(running.make_example(batch, 0, Part::reservoir));
  }
  build_memory(running, second, orders_of(second), {.ring_size = 4});
  build_memory(clean, second, orders_of(second), {.ring_size = 4});
  ASSERT_EQ(running.size(), clean.size());
  for (const Part part : {Part::ring, Part::reservoir}) {
    EXPECT_EQ(ids(running, 1, part), ids(clean, 1, part));
    EXPECT_EQ(ids(running, 2, part), ids(clean, 2, part));
  }
}

TEST(BuildMemory, KeepsOfEachTaskItsRingUpToTheQuota) {
  Rng rng(11);
  for (int round = 0; round < 30; ++round) {
    const std::size_t capacity = 1 + rng.index(40);
    constexpr int kTasks = 6;
    Memory memory(capacity, kBytes);
    std::vector<std::size_t> chosen;  // a_j
    for (int i = 1; i <= kTasks; ++i) {
      const Task task = tiny_task(i);
      const std::size_t quota = quota_of(memory, task, task.train.size());
      chosen.push_back(rng.index(quota + 1));
      build_memory(memory, task, orders_of(task), {.ring_size = chosen.back()});
      for (int j = 1; j <= i; ++j) {
        // q_ij = ceil((|M| - j + 1)/i); 40 examples a task are enough for any of them.
        const auto before = static_cast<std::size_t>(j) - 1;
        const auto tasks = static_cast<std::size_t>(i);
        const std::size_t q = before >= capacity ? 0 : (capacity - before + tasks - 1) / tasks;
        EXPECT_EQ(count(memory, j, Part::ring), std::min(chosen[before], q));
        EXPECT_EQ(memory.count(j), q) << "|M| " << capacity << ", i " << i << ", j " << j;
      }
    }
  }
}

TEST(BuildMemory, NestsThePartsOfEveryTask) {
  const std::vector<std::size_t> ring_sizes = {30, 3, 10, 0, 6, 2};
  std::vector<Memory> history;
  for (std::size_t i = 1; i <= ring_sizes.size(); ++i) {
    history.push_back(build_stream(
        31, {ring_sizes.begin(), ring_sizes.begin() + static_cast<std::ptrdiff_t>(i)}));
  }
  for (std::size_t i = 1; i < history.size(); ++i) {
    for (int j = 1; j <= static_cast<int>(i); ++j) {
      for (const Part part : {Part::ring, Part::reservoir}) {
        auto before = ids(history[i - 1], j, part);
        auto after = ids(history[i], j, part);
        std::sort(before.begin(), before.end());
        std::sort(after.begin(), after.end());
        EXPECT_TRUE(std::includes(before.begin(), before.end(), after.begin(), after.end()));
      }
    }
  }
}

TEST(BuildMemory, TakesAllOfATaskThatIsShortAndLeavesTheRestToOthers) {
  Memory memory(20, kBytes);
  const Task small = tiny_task(1, 1);  // 4 examples
  build_memory(memory, small, orders_of(small), {.ring_size = 2});
  EXPECT_EQ(memory.size(), 4u);
  const Task large = tiny_task(2);
  EXPECT_EQ(quota_of(memory, large, large.train.size()), 16u);
  build_memory(memory, large, orders_of(large), {.ring_size = 8});
  EXPECT_EQ(memory.count(1), 4u);
  EXPECT_EQ(memory.count(2), 16u);
}

TEST(BuildMemory, OffersNoMoreThanTheOrdersRank) {
  const Task task = tiny_task(1);
  std::vector<bool> is_excluded(task.train.size(), true);
  for (const std::size_t row : {3u, 7u, 21u}) is_excluded[row] = false;
  Memory memory(20, kBytes);
  build_memory(memory, task, orders_of(task).without(is_excluded), {.ring_size = 1});
  std::set<std::uint32_t> stored;
  for (const Example& example : memory.examples()) stored.insert(example.id);
  EXPECT_EQ(stored, (std::set<std::uint32_t>{3, 7, 21}));
}

}  // namespace build_test
}  // namespace gps
