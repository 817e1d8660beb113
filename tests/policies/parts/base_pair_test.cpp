#include "gps/policies/parts/base_pair.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gps/policies/mixed.h"
#include "policies/known_network.h"
#include "policies/policy_contract.h"

namespace gps {
namespace base_pair_test {

// Ten examples of each of two classes, in turn; the last are the easiest.
Task rising_task() {
  std::vector<std::pair<Label, int>> margins;
  for (int n = 0; n < 20; ++n) margins.emplace_back(static_cast<Label>(n % 2), n + 1);
  return testing::margin_task(1, margins);
}

SelectionOrders curriculum_orders(const Task& task, double easy_fraction, const Rng& rng) {
  const auto pair = make_base_pair({Base::curriculum, {easy_fraction}});
  pair->begin_task(task);
  pair->end_epoch(task, *testing::known_learner(2, 10));
  return pair->orders(task, rng);
}

std::vector<std::uint32_t> kept(std::vector<std::uint32_t> rows, bool is_easy) {
  std::erase_if(rows, [&](std::uint32_t row) { return (row >= 12) != is_easy; });
  return rows;
}

TEST(RandomPair, IsTheTwoRandomOrders) {
  const Task task = rising_task();
  const auto pair = make_base_pair({});
  pair->begin_task(task);
  pair->end_epoch(task, *testing::known_learner(2, 10));
  const SelectionOrders orders = pair->orders(task, Rng(3));
  EXPECT_EQ(orders.ring, selection_orders(task.train, Rng(3)).ring);
  EXPECT_EQ(orders.reservoir, selection_orders(task.train, Rng(3)).reservoir);
}

TEST(CurriculumPair, PutsTheEasyExamplesFirstAndChangesNothingElse) {
  const Task task = rising_task();
  const SelectionOrders random = selection_orders(task.train, Rng(3));
  const SelectionOrders orders = curriculum_orders(task, 0.4, Rng(3));  // rows 12 to 19
  auto expected = kept(random.reservoir, true);
  const auto others = kept(random.reservoir, false);
  expected.insert(expected.end(), others.begin(), others.end());
  EXPECT_EQ(orders.reservoir, expected);
  EXPECT_EQ(kept({orders.ring.begin(), orders.ring.begin() + 8}, true).size(), 8u);
  EXPECT_TRUE(std::is_permutation(orders.ring.begin(), orders.ring.end(), random.ring.begin()));
}

TEST(CurriculumPair, KeepsEveryPrefixOfTheRingOrderBalanced) {
  // All of class 0 is easier than class 1, and both are in the ring all the same.
  std::vector<std::pair<Label, int>> margins;
  for (int n = 0; n < 10; ++n) margins.emplace_back(Label{0}, 100 + n);
  for (int n = 0; n < 10; ++n) margins.emplace_back(Label{1}, 1 + n);
  const Task task = testing::margin_task(1, margins);
  const SelectionOrders orders = curriculum_orders(task, 0.4, Rng(3));
  int of_class[2] = {0, 0};
  for (std::size_t k = 0; k < orders.ring.size(); ++k) {
    ++of_class[task.train.label(orders.ring[k])];
    EXPECT_LE(std::abs(of_class[0] - of_class[1]), 1);
    const std::uint32_t easiest = k < 8 ? 6 : 0;  // the last four of each class come first
    EXPECT_GE(orders.ring[k] % 10, easiest);
  }
  for (std::size_t k = 0; k < 8; ++k) EXPECT_LT(orders.reservoir[k], 10u) << "the easiest of all";
}

TEST(CurriculumPair, IsTheRandomPairBeforeAnythingWasLearnt) {
  const Task task = rising_task();
  const auto pair = make_base_pair({Base::curriculum, {0.2}});
  pair->begin_task(task);
  const SelectionOrders orders = pair->orders(task, Rng(3));
  EXPECT_EQ(orders.ring, selection_orders(task.train, Rng(3)).ring);
  EXPECT_EQ(orders.reservoir, selection_orders(task.train, Rng(3)).reservoir);
}

TEST(CurriculumPair, MakesMixedStoreEasyExamplesOnlyAtBothEnds) {
  const Task task = rising_task();
  const auto learner = testing::known_learner(2, 10);
  for (const double ratio : {0.0, 0.5, 1.0}) {
    const auto policy = make_mixed({ratio}, InTask::strict, {Base::curriculum, {0.4}});
    Memory memory(4, 2);
    policy->begin_task(memory, task, Rng(1));
    tell_epoch(*policy, memory, task, *learner, 1, 1, Rng(1));
    tell_end(*policy, memory, task, *learner, Rng(1));
    EXPECT_EQ(memory.size(), 4u);
    for (const Example& example : memory.examples()) EXPECT_GE(example.id, 12u);
  }
}

}  // namespace base_pair_test
}  // namespace gps
