#include "gps/policies/herding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "policies/policy_contract.h"

namespace gps {
namespace herding_test {

using Rows = std::vector<std::uint32_t>;

std::vector<float> random_features(std::size_t rows, std::size_t size, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<float> features;
  for (std::size_t k = 0; k < rows * size; ++k) {
    features.push_back(static_cast<float>(rng.uniform()));
  }
  return features;
}

TEST(Herd, FollowsAnExampleByHand) {
  // Of length one: (1, 0), (0, 1), (0.8, 0.6); their mean is (0.6, 0.533). Nearest is the third.
  // Then 2·mean - it = (0.4, 0.467), from which (0, 1) is √0.444 away and (1, 0) is √0.578.
  EXPECT_EQ(herd({1, 0, 0, 1, 0.8f, 0.6f}, 2, 3), (Rows{2, 1, 0}));
  // Lengths do not matter.
  EXPECT_EQ(herd({7, 0, 0, 0.1f, 8, 6}, 2, 3), (Rows{2, 1, 0}));
  EXPECT_EQ(herd({1, 0, 0, 1, 0.8f, 0.6f}, 2, 1), (Rows{2}));
}

TEST(Herd, BringsTheMeanOfThoseTakenNearestToTheMeanOfAll) {
  constexpr std::size_t kRows = 12;
  constexpr std::size_t kSize = 4;
  const auto raw = random_features(kRows, kSize, 3);
  std::vector<std::vector<double>> unit;
  std::vector<double> mean(kSize, 0);
  for (std::size_t k = 0; k < kRows; ++k) {
    std::vector<double> row(raw.begin() + static_cast<std::ptrdiff_t>(k * kSize),
                            raw.begin() + static_cast<std::ptrdiff_t>((k + 1) * kSize));
    double square = 0;
    for (const double x : row) square += x * x;
    for (double& x : row) x /= std::sqrt(square);
    for (std::size_t d = 0; d < kSize; ++d) mean[d] += row[d] / kRows;
    unit.push_back(row);
  }
  std::vector<double> sum(kSize, 0);
  std::vector<bool> is_taken(kRows, false);
  const Rows order = herd(raw, kSize, kRows);
  ASSERT_EQ(order.size(), kRows);
  for (std::size_t n = 0; n < kRows; ++n) {
    const auto distance = [&](std::size_t k) {
      double square = 0;
      for (std::size_t d = 0; d < kSize; ++d) {
        square += std::pow(mean[d] - (sum[d] + unit[k][d]) / static_cast<double>(n + 1), 2);
      }
      return std::sqrt(square);
    };
    ASSERT_FALSE(is_taken[order[n]]) << "taken twice";
    for (std::size_t k = 0; k < kRows; ++k) {
      if (is_taken[k]) continue;
      EXPECT_LE(distance(order[n]), distance(k) + 1e-5);
    }
    is_taken[order[n]] = true;
    for (std::size_t d = 0; d < kSize; ++d) sum[d] += unit[order[n]][d];
  }
}

TEST(Herd, OfFewerIsAPrefix) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto features = random_features(40, 6, seed);
    const Rows all = herd(features, 6, 40);
    for (std::size_t count = 0; count <= 40; ++count) {
      EXPECT_EQ(herd(features, 6, count),
                Rows(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)));
    }
  }
}

TEST(Herd, TakesTheFirstOfEqualsAndMindsNoZeros) {
  EXPECT_EQ(herd({1, 0, 1, 0, 1, 0}, 2, 2), (Rows{0, 1}));
  EXPECT_EQ(herd({0, 0, 0, 0}, 2, 5), (Rows{0, 1}));
  EXPECT_EQ(herd({}, 2, 5), Rows{});
}

// What a memory holds of each class of each task, in order.
std::map<std::pair<int, Label>, Rows> ids_by_class(const Memory& memory) {
  std::map<std::pair<int, Label>, Rows> ids;
  for (const Example& example : memory.examples()) {
    ids[{example.task, example.label}].push_back(example.id);
  }
  return ids;
}

std::vector<Task> even_tasks(int tasks) { return testing::streams(4, tasks)[0].tasks; }

TEST(Herding, SharesAllSlotsEquallyAmongTheClassesOfAllTasks) {
  const auto policy = make_herding();
  const auto records = testing::drive(*policy, even_tasks(4), 30);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t pairs = 4 * (i + 1);
    const std::size_t each = 30 / pairs;
    EXPECT_EQ(records[i].after.size(), 30u);
    const auto ids = ids_by_class(records[i].after);
    EXPECT_EQ(ids.size(), pairs);
    for (const auto& [key, rows] : ids) {
      EXPECT_GE(rows.size(), each);
      EXPECT_LE(rows.size(), each + 1);
    }
  }
}

TEST(Herding, GivesEveryTaskAClassBeforeAnyASecondOne) {
  const auto policy = make_herding();
  const Memory last = testing::drive(*policy, even_tasks(6), 9).back().after;
  for (int task = 1; task <= 6; ++task) {
    EXPECT_GE(last.count(task), 1u) << task;
    EXPECT_LE(last.count(task), 2u) << task;
  }
}

TEST(Herding, KeepsOfOldTasksWhatASmallerMemoryWouldHaveChosen) {
  // 24 slots and two tasks of four classes leave 3 a class, as do 12 slots and one task. The
  // learner does not replay, so it is the same.
  const auto large = make_herding();
  const auto small = make_herding();
  const auto tasks = even_tasks(2);
  const auto shrunk = ids_by_class(testing::drive(*large, tasks, 24)[1].after);
  const auto chosen = ids_by_class(testing::drive(*small, {tasks[0]}, 12)[0].after);
  ASSERT_EQ(chosen.size(), 4u);
  for (const auto& [key, rows] : chosen) EXPECT_EQ(shrunk.at(key), rows);
}

TEST(Herding, ReplaysEarlierTasksUnchangedWhileATaskIsLearnt) {
  const auto policy = make_herding();
  const auto tasks = even_tasks(2);
  Memory memory = testing::drive(*policy, {tasks[0]}, 12)[0].after;
  const Memory before = memory;
  const auto learner = testing::tiny_learner(tasks[0]);
  train_task(*learner, *policy, memory, tasks[1], {.epochs = 2, .batch = 10}, Rng(1));
  EXPECT_EQ(memory.examples(), before.examples());
}

}  // namespace herding_test
}  // namespace gps
