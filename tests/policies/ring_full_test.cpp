#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "gps/policies/parts/class_rings.h"
#include "policies/policy_contract.h"

namespace gps {
namespace ring_full_test {

using Counts = std::map<std::pair<int, Label>, std::size_t>;

Counts count_classes(const Memory& memory) {
  Counts counts;
  for (const Example& example : memory.examples()) ++counts[{example.task, example.label}];
  return counts;
}

std::vector<Task> even_tasks(int tasks, std::size_t classes, std::size_t per_class) {
  std::vector<Task> all;
  for (int t = 1; t <= tasks; ++t) {
    all.push_back(testing::scrambled_task(t, std::vector(classes, per_class)));
  }
  return all;
}

TEST(RingFull, GivesEveryClassOfEveryTaskTheSameUpToOne) {
  for (const std::size_t classes : {1U, 3U, 4U, 10U}) {
    const auto tasks = even_tasks(6, classes, 61);
    for (const std::size_t capacity : {7U, 10U, 25U, 60U}) {
      SCOPED_TRACE(::testing::Message() << classes << " classes, |M| " << capacity);
      const auto policy = make_ring_full(RingQuota::deal);
      const auto records = testing::drive(*policy, tasks, capacity);
      for (std::size_t t = 1; t <= records.size(); ++t) {
        Counts counts = count_classes(records[t - 1].after);
        for (std::size_t j = 1; j <= t; ++j) {
          for (std::size_t c = 0; c < classes; ++c) {
            // Where |M|/(t·C) does not divide, the neighbouring whole numbers.
            const std::size_t count = counts[{static_cast<int>(j), static_cast<Label>(c)}];
            EXPECT_GE(count, capacity / (t * classes));
            EXPECT_LE(count, capacity / (t * classes) + 1);
          }
        }
      }
    }
  }
}

TEST(RingFull, LeavesTheSlotsOfASmallClassToTheOthers) {
  const auto policy = make_ring_full(RingQuota::deal);
  const auto records =
      testing::drive(*policy, {testing::scrambled_task(1, {20, 1, 2, 20})}, /*capacity=*/19);
  EXPECT_EQ(count_classes(records[0].after),
            (Counts{{{1, 0}, 8}, {{1, 1}, 1}, {{1, 2}, 2}, {{1, 3}, 8}}));
}

TEST(RingFull, DealsSpareSlotsToClassesByChance) {
  // Two classes, three slots: the third is of class 0 in half of the streams. Binomial(400, 1/2):
  // mean 200, deviation 10; five of them are 50.
  const auto tasks = even_tasks(1, 2, 5);
  int of_class_0 = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const auto policy = make_ring_full(RingQuota::deal);
    const Counts counts = count_classes(testing::drive(*policy, tasks, 3, seed)[0].after);
    if (counts.at({1, 0}) == 2) ++of_class_0;
  }
  EXPECT_NEAR(of_class_0, 200, 50);
}

TEST(RingFull, KeepsTheExamplesOfEachClassBalancedAsItShrinks) {
  // Long-tailed classes: a class may be short of its quota, but none has two more than another
  // that was not used up.
  const auto tasks = testing::streams(4, 6)[1].tasks;
  for (const std::size_t capacity : {10U, 25U, 60U}) {
    const auto policy = make_ring_full(RingQuota::deal);
    for (const testing::Record& record : testing::drive(*policy, tasks, capacity)) {
      Counts counts = count_classes(record.after);
      for (const auto& [key, count] : Counts(counts)) {
        for (Label c = 0; c < 4; ++c) {
          const auto& data = tasks[static_cast<std::size_t>(key.first) - 1].train;
          const std::size_t other = counts[{key.first, c}];
          if (other < data.rows_by_class()[c].size()) {
            EXPECT_LE(count, other + 1);
          }
        }
      }
    }
  }
}

// Offers rows first, …, last - 1 of the task, one by one.
void offer(MemoryPolicy& policy, Memory& memory, const Task& task, std::uint32_t first,
           std::uint32_t last) {
  Rng rng(1);
  Batch batch;
  for (std::uint32_t row = first; row < last; ++row) {
    batch.gather(task, {&row, 1});
    policy.observe(memory, batch, rng);
  }
}

TEST(RingFull, KeepsTheNewestOfEachClass) {
  const Task task = testing::scrambled_task(1, {20, 20, 20});
  const auto policy = make_ring_full(RingQuota::deal);
  Memory memory(12, testing::kImageBytes);
  policy->begin_task(memory, task, Rng(1));
  for (std::uint32_t row = 0; row < 60; ++row) {
    offer(*policy, memory, task, row, row + 1);
    const auto by_class = task.train.rows_by_class();
    for (const auto& rows : by_class) {
      std::set<std::uint32_t> newest;
      for (auto at = rows.rbegin(); at != rows.rend() && newest.size() < 4; ++at) {
        if (*at <= row) newest.insert(task.train.id(*at));
      }
      std::set<std::uint32_t> stored;
      for (const Example& example : memory.examples()) {
        if (example.label == task.train.label(rows[0])) stored.insert(example.id);
      }
      ASSERT_EQ(stored, newest) << "after row " << row;
    }
  }
}

TEST(RingFull, LeavesAnExampleOfferedAgainWhereItIs) {
  const Task task = testing::scrambled_task(1, {20, 20});
  const auto policy = make_ring_full(RingQuota::deal);
  Memory memory(8, testing::kImageBytes);
  policy->begin_task(memory, task, Rng(1));
  offer(*policy, memory, task, 0, 40);
  const std::vector<Example> before = memory.examples();
  for (std::uint32_t row = 0; row < 40; ++row) {
    if (memory.contains(1, task.train.id(row))) offer(*policy, memory, task, row, row + 1);
  }
  EXPECT_EQ(memory.examples(), before);
}

TEST(RingFull, ShrinksToTheNewestOfEachClass) {
  const Task first = testing::scrambled_task(1, {20, 20});
  const Task second = testing::scrambled_task(2, {20, 20});
  const auto policy = make_ring_full(RingQuota::deal);
  Memory memory(12, testing::kImageBytes);
  policy->begin_task(memory, first, Rng(1));
  offer(*policy, memory, first, 0, 40);
  policy->end_task(memory, first, Rng(2));
  policy->begin_task(memory, second, Rng(3));
  ASSERT_EQ(memory.count(1), 6u);
  for (const auto& rows : first.train.rows_by_class()) {
    for (std::size_t k = rows.size() - 3; k < rows.size(); ++k) {
      EXPECT_TRUE(memory.contains(1, first.train.id(rows[k])));
    }
  }
}

TEST(RingFull, TagsEverythingAsRing) {
  const auto policy = make_ring_full(RingQuota::deal);
  const auto records = testing::drive(*policy, even_tasks(2, 3, 9), 10);
  for (const Example& example : records.back().after.examples()) {
    EXPECT_EQ(example.part, Part::ring);
  }
}

TEST(RingFullFloor, GivesEveryClassOfEveryTaskExactlyTheFloor) {
  for (const std::size_t classes : {1U, 2U, 4U, 10U}) {
    for (const auto& stream : testing::streams(classes, 6)) {
      if (stream.name.starts_with("changing")) continue;  // C is not one number there
      for (const std::size_t capacity : {1U, 7U, 25U, 60U}) {
        SCOPED_TRACE(::testing::Message() << stream.name << ", |M| " << capacity);
        const auto policy = make_ring_full(RingQuota::floor);
        const auto records = testing::drive(*policy, stream.tasks, capacity);
        for (std::size_t t = 1; t <= records.size(); ++t) {
          Counts expected;
          for (std::size_t j = 1; j <= t; ++j) {
            for (std::size_t c = 0; c < classes; ++c) {
              const std::size_t count = std::min(
                  capacity / (t * classes), stream.tasks[j - 1].train.rows_by_class()[c].size());
              if (count > 0) expected[{static_cast<int>(j), static_cast<Label>(c)}] = count;
            }
          }
          EXPECT_EQ(count_classes(records[t - 1].after), expected);
        }
      }
    }
  }
}

TEST(RingFullFloor, StaysWithinCapacityWhenATaskHasFewerClassesThanTheOneBefore) {
  const std::vector<Task> tasks = {testing::scrambled_task(1, {20, 20, 20, 20}),
                                   testing::scrambled_task(2, {20, 0, 0, 0})};
  const auto policy = make_ring_full(RingQuota::floor);
  testing::expect_within_capacity(testing::drive(*policy, tasks, 20));
}

TEST(RoundRobin, BalancesEveryPrefixAndKeepsTheOrderWithinAClass) {
  const Task task = testing::scrambled_task(1, {9, 2, 5});
  const Memory memory(16, testing::kImageBytes);
  std::vector<Example> examples;
  Batch batch;
  for (std::uint32_t row = 0; row < 16; ++row) {
    batch.gather(task, {&row, 1});
    examples.push_back(memory.make_example(batch, 0, Part::ring));
  }
  const std::vector<std::size_t> totals = {9, 2, 5};
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const std::vector<Example> ordered = round_robin(examples, Rng(seed));
    ASSERT_EQ(ordered.size(), 16u);
    std::vector<std::size_t> counts(3, 0);
    std::map<Label, std::ptrdiff_t> last;
    for (const Example& example : ordered) {
      ++counts[example.label];
      const std::size_t largest = *std::max_element(counts.begin(), counts.end());
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_TRUE(counts[c] == totals[c] || largest <= counts[c] + 1);
      }
      const auto at = std::find(examples.begin(), examples.end(), example) - examples.begin();
      if (last.contains(example.label)) {
        EXPECT_GT(at, last[example.label]);
      }
      last[example.label] = at;
    }
  }
}

TEST(RingFull, MakesRoomForClassesThatATaskBringsLater) {
  // Told of class 0 first, then of both: the end is as if it had known both from the start.
  const Task first = testing::scrambled_task(1, {12, 0});
  const Task both = testing::scrambled_task(1, {12, 12});
  const auto policy = make_ring_full(RingQuota::deal);
  Memory memory(8, testing::kImageBytes);
  Rng rng(1);
  const auto offer_all = [&](Label label) {
    const auto rows = both.train.rows_by_class();
    for (const std::uint32_t row : rows[label]) {
      Batch batch;
      batch.gather(both, {&row, 1});
      policy->observe(memory, batch, rng);
    }
  };
  policy->begin_task(memory, first, Rng(2));
  offer_all(0);
  EXPECT_EQ(count_classes(memory), (Counts{{{1, 0}, 8}}));
  policy->begin_task(memory, both, Rng(2));
  offer_all(1);
  EXPECT_EQ(count_classes(memory), (Counts{{{1, 0}, 4}, {{1, 1}, 4}}));
  policy->end_task(memory, both, Rng(3));
  EXPECT_EQ(memory.size(), 8u);
}

}  // namespace ring_full_test
}  // namespace gps
