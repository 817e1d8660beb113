#include "gps/policies/mixed.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "policies/policy_contract.h"

namespace gps {
namespace mixed_test {

std::size_t ring_count(const Memory& memory, int task) {
  return static_cast<std::size_t>(
      std::count_if(memory.examples().begin(), memory.examples().end(),
                    [task](const Example& e) { return e.task == task && e.part == Part::ring; }));
}

std::vector<Task> even_tasks(int tasks) {
  return testing::streams(4, tasks)[0].tasks;  // 36 examples each
}

TEST(RingSizeFor, IsTheNearestWholeNumber) {
  EXPECT_EQ(ring_size_for(0, 17), 0u);
  EXPECT_EQ(ring_size_for(1, 17), 17u);
  EXPECT_EQ(ring_size_for(0.5, 10), 5u);
  EXPECT_EQ(ring_size_for(0.3, 8), 2u);  // 2.4
  EXPECT_EQ(ring_size_for(0.3, 9), 3u);  // 2.7
  EXPECT_EQ(ring_size_for(0.9, 0), 0u);
}

TEST(RingSizeFor, NeverExceedsTheQuota) {
  for (std::size_t quota = 0; quota <= 100; ++quota) {
    for (const double ratio : {0.0, 0.1, 0.25, 1.0 / 3, 0.5, 0.9, 0.999, 1.0}) {
      EXPECT_LE(ring_size_for(ratio, quota), quota);
    }
  }
}

TEST(Mixed, GivesTheRingItsRatioOfTheQuota) {
  for (const double ratio : {0.0, 0.3, 0.5, 1.0}) {
    const auto policy = make_mixed({ratio}, InTask::running);
    const auto records = testing::drive(*policy, even_tasks(4), 24);
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t quota = 24 / (i + 1);
      const int task = static_cast<int>(i) + 1;
      EXPECT_EQ(records[i].after.count(task), quota);
      EXPECT_EQ(ring_count(records[i].after, task), ring_size_for(ratio, quota));
      EXPECT_EQ(policy->decisions()[i].plan.ring_size, ring_size_for(ratio, quota));
      EXPECT_TRUE(policy->decisions()[i].trials.empty());
    }
  }
}

TEST(Mixed, TakesOneRatioATaskAndGoesOnWithTheLast) {
  const auto policy = make_mixed({1, 0, 0.5}, InTask::running);
  const auto records = testing::drive(*policy, even_tasks(5), 60);
  // Quotas: 36 (all there is), 30, 20, 15, 12.
  std::vector<std::size_t> rings;
  for (const Decision& decision : policy->decisions()) rings.push_back(decision.plan.ring_size);
  EXPECT_EQ(rings, (std::vector<std::size_t>{36, 0, 10, 8, 6}));
}

TEST(Mixed, ShrinksTheReservoirPartFirst) {
  const auto policy = make_mixed({0.5}, InTask::running);
  const auto records = testing::drive(*policy, even_tasks(4), 24);
  // Task 1 starts with 12 + 12 and has 24, 12, 8, 6 slots.
  const std::vector<std::size_t> rings = {12, 12, 8, 6};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(ring_count(records[i].after, 1), rings[i]);
}

TEST(Mixed, IsClassBalancedInItsRingPartAtEveryTaskEnd) {
  const auto tasks = testing::streams(4, 6)[1].tasks;  // long-tailed
  for (const double ratio : {0.3, 1.0}) {
    const auto policy = make_mixed({ratio}, InTask::running);
    for (const testing::Record& record : testing::drive(*policy, tasks, 40)) {
      for (const Task& task : tasks) {
        std::vector<std::size_t> counts(4, 0);
        for (const Example& e : record.after.examples()) {
          if (e.task == task.number && e.part == Part::ring) ++counts[e.label];
        }
        const std::size_t most = *std::max_element(counts.begin(), counts.end());
        const auto by_class = task.train.rows_by_class();
        for (std::size_t c = 0; c < 4; ++c) {
          EXPECT_TRUE(counts[c] == by_class[c].size() || most <= counts[c] + 1);
        }
      }
    }
  }
}

// Calls look(memory) after each step of a task.
class Looking final : public MemoryPolicy {
 public:
  Looking(MemoryPolicy& policy, std::function<void(const Memory&)> look)
      : policy_(policy), look_(std::move(look)) {}
  void begin_task(Memory& memory, const Task& task, const Rng& rng) override {
    policy_.begin_task(memory, task, rng);
    look_(memory);
  }
  void observe(Memory& memory, const Batch& batch, Rng& rng) override {
    policy_.observe(memory, batch, rng);
    look_(memory);
  }

 private:
  MemoryPolicy& policy_;
  std::function<void(const Memory&)> look_;
};

// Runs tasks 1 to 3 with |M| = 24, calling look(M_{i-1}, memory, i) within each.
template <typename Look>
void look_within_tasks(InTask in_task, const Look& look) {
  const auto policy = make_mixed({0.5}, in_task);
  const auto tasks = even_tasks(3);
  const auto learner = testing::tiny_learner(tasks[0]);
  Memory memory(24, testing::kImageBytes);
  for (const Task& task : tasks) {
    const Memory before = memory;
    Looking looking(*policy, [&](const Memory& now) { look(before, now, task.number); });
    const Rng rng = Rng(1).fork("task", task.number);
    train_task(*learner, looking, memory, task, {.epochs = 2, .batch = 10}, rng);
    tell_end(*policy, memory, task, *learner, rng.fork("end"));
  }
}

TEST(MixedStrict, ReplaysTheLastMemoryUnchanged) {
  int looks = 0;
  look_within_tasks(InTask::strict, [&](const Memory& before, const Memory& now, int) {
    EXPECT_EQ(now.examples(), before.examples());
    ++looks;
  });
  EXPECT_EQ(looks, 3 * (1 + 2 * 4));
}

TEST(MixedRunning, GivesTheCurrentTaskItsQuotaAndKeepsTheOthersAsTheyWillBe) {
  look_within_tasks(InTask::running, [](const Memory&, const Memory& now, int task) {
    const std::size_t quota = 24 / static_cast<std::size_t>(task);
    EXPECT_LE(now.count(task), quota);
    for (int old = 1; old < task; ++old) EXPECT_EQ(now.count(old), quota);
  });
}

TEST(MixedRunning, FillsTheCurrentTasksPartWithinTheFirstEpoch) {
  std::size_t largest = 0;
  look_within_tasks(InTask::running, [&](const Memory&, const Memory& now, int task) {
    if (task == 2) largest = std::max(largest, now.count(2));
  });
  EXPECT_EQ(largest, 12u);
}

TEST(MixedRunning, EndsWithTheSameMemoryAsStrict) {
  const auto running = make_mixed({0.3}, InTask::running);
  const auto strict = make_mixed({0.3}, InTask::strict);
  const auto a = testing::drive(*running, even_tasks(5), 25);
  const auto b = testing::drive(*strict, even_tasks(5), 25);
  for (std::size_t i = 0; i < a.size(); ++i) testing::expect_same(a[i].after, b[i].after);
}

}  // namespace mixed_test
}  // namespace gps
