#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "policies/policy_contract.h"

namespace gps {
namespace hybrid_test {

using Counts = std::map<std::pair<int, Label>, std::size_t>;

Counts count_classes(const Memory& memory) {
  Counts counts;
  for (const Example& example : memory.examples()) ++counts[{example.task, example.label}];
  return counts;
}

bool has_rings(const Memory& memory) {
  return std::any_of(memory.examples().begin(), memory.examples().end(),
                     [](const Example& example) { return example.part == Part::ring; });
}

// Has some class of a task before this one at most one stored example left?
bool some_finished_class_is_nearly_gone(const Memory& memory, const std::vector<Task>& tasks,
                                        int now) {
  Counts counts = count_classes(memory);
  for (int j = 1; j < now; ++j) {
    const auto by_class = tasks[static_cast<std::size_t>(j) - 1].train.rows_by_class();
    for (std::size_t c = 0; c < by_class.size(); ++c) {
      if (!by_class[c].empty() && counts[{j, static_cast<Label>(c)}] <= 1) return true;
    }
  }
  return false;
}

// A hybrid and a reservoir side by side, offered the same examples one by one with the same draws.
class Pair {
 public:
  Pair(std::size_t capacity, std::uint64_t seed)
      : hybrid(capacity, testing::kImageBytes),
        reservoir(capacity, testing::kImageBytes),
        rng_(seed) {}

  void begin(const Task& task) {
    hybrid_policy_->begin_task(hybrid, task, rng_.fork("begin", task.number));
    reservoir_policy_->begin_task(reservoir, task, rng_.fork("begin", task.number));
  }
  void offer(const Task& task, std::uint32_t row) {
    Batch batch;
    batch.gather(task, {&row, 1});
    Rng for_hybrid = rng_.fork("offer", task.number, row);
    Rng for_reservoir = for_hybrid;
    hybrid_policy_->observe(hybrid, batch, for_hybrid);
    reservoir_policy_->observe(reservoir, batch, for_reservoir);
  }
  void end(const Task& task) {
    hybrid_policy_->end_task(hybrid, task, rng_.fork("end", task.number));
    reservoir_policy_->end_task(reservoir, task, rng_.fork("end", task.number));
  }

  Memory hybrid;
  Memory reservoir;

 private:
  Rng rng_;
  std::unique_ptr<MemoryPolicy> hybrid_policy_ = make_hybrid();
  std::unique_ptr<MemoryPolicy> reservoir_policy_ = make_reservoir();
};

std::vector<Task> even_tasks(int tasks, std::size_t classes, std::size_t per_class) {
  std::vector<Task> all;
  for (int t = 1; t <= tasks; ++t) {
    all.push_back(testing::scrambled_task(t, std::vector(classes, per_class)));
  }
  return all;
}

TEST(Hybrid, IsAReservoirUntilAClassOfAFinishedTaskIsDownToOne) {
  const auto tasks = even_tasks(4, 3, 12);
  int switched_at_start = 0;
  int switched_within = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Pair pair(/*capacity=*/18, seed);
    bool is_due = false;
    for (const Task& task : tasks) {
      is_due = some_finished_class_is_nearly_gone(pair.reservoir, tasks, task.number);
      pair.begin(task);
      if (is_due) {
        ++switched_at_start;
        EXPECT_LT(pair.hybrid.size(), pair.reservoir.size()) << "no room was made for the rings";
        break;
      }
      for (std::uint32_t row = 0; row < task.train.size() && !is_due; ++row) {
        testing::expect_same(pair.hybrid, pair.reservoir);
        ASSERT_FALSE(has_rings(pair.hybrid)) << "task " << task.number << ", row " << row;
        pair.offer(task, row);
        is_due = some_finished_class_is_nearly_gone(pair.reservoir, tasks, task.number);
      }
      if (is_due) {
        ++switched_within;
        EXPECT_TRUE(has_rings(pair.hybrid));
        break;
      }
      pair.end(task);
    }
    EXPECT_TRUE(is_due) << "no class of 18 slots' is down to one after 4 tasks of 3 classes";
  }
  EXPECT_GT(switched_within, 0);
  EXPECT_EQ(switched_at_start + switched_within, 20);
}

TEST(Hybrid, DoesNotMindAClassThatHasJustArrived) {
  const auto tasks = even_tasks(2, 2, 8);
  Pair pair(/*capacity=*/16, 1);  // all of task 1
  pair.begin(tasks[0]);
  for (std::uint32_t row = 0; row < tasks[0].train.size(); ++row) {
    pair.offer(tasks[0], row);
    testing::expect_same(pair.hybrid, pair.reservoir);
  }
  pair.end(tasks[0]);
  ASSERT_FALSE(some_finished_class_is_nearly_gone(pair.reservoir, tasks, 2));
  pair.begin(tasks[1]);
  // The first class of task 2 to get in has one stored example, as has each that follows.
  std::uint32_t row = 0;
  while (pair.hybrid.count(2) == 0) pair.offer(tasks[1], row++);
  ASSERT_FALSE(some_finished_class_is_nearly_gone(pair.reservoir, tasks, 2));
  EXPECT_FALSE(has_rings(pair.hybrid));
}

TEST(Hybrid, CountsClassesByTaskAndNotByLabelAlone) {
  const std::vector<Task> tasks = {testing::scrambled_task(1, {8, 8}),
                                   testing::scrambled_task(2, {200, 200})};
  Pair pair(/*capacity=*/16, 1);
  for (const Task& task : tasks) {
    pair.begin(task);
    for (std::uint32_t row = 0; row < task.train.size() && !has_rings(pair.hybrid); ++row) {
      pair.offer(task, row);
    }
    if (!has_rings(pair.hybrid)) pair.end(task);
  }
  ASSERT_TRUE(has_rings(pair.hybrid));
  // Both labels had plenty of examples in memory: those of task 2.
  Counts counts = count_classes(pair.reservoir);
  for (const Label label : {Label{0}, Label{1}}) {
    EXPECT_GE((counts[{1, label}] + counts[{2, label}]), 4u);
  }
}

TEST(Hybrid, SwitchesAtTheStartOfATaskIfTheLastOneEndedWithAClassOfOne) {
  const std::vector<Task> tasks = {testing::scrambled_task(1, {10, 10, 1}),
                                   testing::scrambled_task(2, {10, 10, 10})};
  Pair pair(/*capacity=*/30, 1);
  pair.begin(tasks[0]);
  for (std::uint32_t row = 0; row < tasks[0].train.size(); ++row) pair.offer(tasks[0], row);
  pair.end(tasks[0]);
  EXPECT_FALSE(has_rings(pair.hybrid));
  pair.begin(tasks[1]);
  // 21 stored examples of task 1, 15 slots a task: ten of class 0 and ten of class 1 make way, and
  // the only one of class 2 stays.
  EXPECT_EQ(count_classes(pair.hybrid), (Counts{{{1, 0}, 7}, {{1, 1}, 7}, {{1, 2}, 1}}));
  pair.offer(tasks[1], 0);
  EXPECT_TRUE(has_rings(pair.hybrid));
}

TEST(Hybrid, BalancesTheClassesOfEveryTaskThatEndsAfterTheSwitch) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto tasks = even_tasks(6, 4, 15);
    const auto policy = make_hybrid();
    const auto records = testing::drive(*policy, tasks, 25, seed);
    ASSERT_TRUE(has_rings(records.back().after));
    for (std::size_t i = 1; i < records.size(); ++i) {
      const bool had_switched = has_rings(records[i].before);
      if (!had_switched) continue;
      Counts counts = count_classes(records[i].after);
      std::vector<std::size_t> of_task;
      for (Label c = 0; c < 4; ++c) of_task.push_back(counts[{static_cast<int>(i) + 1, c}]);
      const auto [least, most] = std::minmax_element(of_task.begin(), of_task.end());
      EXPECT_LE(*most, *least + 1) << "task " << i + 1;
    }
  }
}

TEST(Hybrid, TrimsOldTasksClassByClass) {
  // What an old task keeps is balanced as far as what it had allows: no class has two more than
  // another of which something was dropped.
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto tasks = even_tasks(6, 4, 15);
    const auto policy = make_hybrid();
    for (const testing::Record& record : testing::drive(*policy, tasks, 25, seed)) {
      if (!has_rings(record.before)) continue;
      Counts before = count_classes(record.before);
      Counts after = count_classes(record.after);
      for (const auto& [key, count] : Counts(before)) {
        if (after[key] == count) continue;
        for (Label c = 0; c < 4; ++c) {
          const std::size_t other = after[{key.first, c}];
          EXPECT_LE(other, after[key] + 1) << "task " << key.first;
        }
      }
    }
  }
}

TEST(Hybrid, SharesTheMemoryEquallyAfterTheSwitch) {
  const auto tasks = even_tasks(6, 4, 15);
  const auto policy = make_hybrid();
  const auto records = testing::drive(*policy, tasks, 24);
  ASSERT_TRUE(has_rings(records[3].after));
  // From then on every task can fill its quota but those that were short at the switch; none has
  // more than its equal share and what those leave.
  const Memory& last = records[5].after;
  EXPECT_EQ(last.size(), 24u);
  EXPECT_GE(last.count(6), 4u);
  for (int task = 1; task < 6; ++task) EXPECT_LE(last.count(task), last.count(6) + 1);
}

TEST(Hybrid, MakesRoomForClassesThatATaskBringsLater) {
  // After the switch, which comes with the third task, the rings of a task grow as its classes do.
  const auto tasks = even_tasks(3, 3, 12);
  const auto policy = make_hybrid();
  Memory memory(9, testing::kImageBytes);
  Rng rng(1);
  const auto offer_all = [&](const Task& task, Label label) {
    const auto rows = task.train.rows_by_class();
    for (const std::uint32_t row : rows[label]) {
      Batch batch;
      batch.gather(task, {&row, 1});
      policy->observe(memory, batch, rng);
    }
  };
  for (const Task& task : {tasks[0], tasks[1]}) {
    policy->begin_task(memory, task, Rng(2).fork("begin", task.number));
    for (const Label label : std::array<Label, 3>{0, 1, 2}) offer_all(task, label);
    policy->end_task(memory, task, Rng(2).fork("end", task.number));
  }
  policy->begin_task(memory, testing::scrambled_task(3, {12, 0, 0}), Rng(3));
  offer_all(tasks[2], 0);
  ASSERT_TRUE(has_rings(memory));
  const std::size_t share = memory.count(3);
  EXPECT_GE(share, 3u);
  policy->begin_task(memory, tasks[2], Rng(3));
  offer_all(tasks[2], 1);
  offer_all(tasks[2], 2);
  EXPECT_EQ(memory.count(3), share);
  const Counts counts = count_classes(memory);
  for (const Label label : std::array<Label, 3>{0, 1, 2}) {
    EXPECT_GE(counts.at({3, label}), share / 3);
    EXPECT_LE(counts.at({3, label}), share / 3 + 1);
  }
}

}  // namespace hybrid_test
}  // namespace gps
