// ER-CurRes and ER-CurRing-Full, on tasks whose easy examples are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "gps/policies/parts/easy_pool.h"
#include "gps/policies/policy.h"
#include "gps/policies/reservoir_sampler.h"
#include "policies/known_network.h"
#include "policies/policy_contract.h"

namespace gps {
namespace curriculum_test {

using Ids = std::set<std::uint32_t>;

// `each` examples of each of two classes, in turn. Example n has margin n + 1: the last are the
// easiest.
Task rising_task(int number, int each) {
  std::vector<std::pair<Label, int>> margins;
  for (int n = 0; n < 2 * each; ++n) margins.emplace_back(static_cast<Label>(n % 2), n + 1);
  return testing::margin_task(number, margins);
}

// Shows the policy whole epochs of a task, as the trainer does, with a network that never changes.
class Show {
 public:
  Show(MemoryPolicy& policy, std::size_t capacity) : policy_(policy), memory(capacity, 2) {}

  void begin(const Task& task) { policy_.begin_task(memory, task, Rng(5).fork("begin")); }
  void epoch(const Task& task, int epoch, int epochs) {
    const Rng rng = Rng(5).fork("task", task.number).fork("epoch", epoch);
    const auto order = rng.fork("order").permutation(task.train.size());
    Rng draws = rng.fork("policy");
    Batch batch;
    for (std::size_t first = 0; first < order.size(); first += 4) {
      const auto rest = std::span(order).subspan(first);
      batch.gather(task, rest.first(std::min<std::size_t>(4, rest.size())));
      tell_step(policy_, memory, batch, *learner_, draws);
    }
    tell_epoch(policy_, memory, task, *learner_, epoch, epochs, rng);
  }
  void end(const Task& task) { tell_end(policy_, memory, task, *learner_, Rng(5).fork("end")); }
  void whole(const Task& task, int epochs) {
    begin(task);
    for (int e = 1; e <= epochs; ++e) epoch(task, e, epochs);
    end(task);
  }

  Ids ids(int task) const {
    Ids found;
    for (const Example& example : memory.examples()) {
      if (example.task == task) found.insert(example.id);
    }
    return found;
  }

 private:
  MemoryPolicy& policy_;
  std::unique_ptr<Learner> learner_ = testing::known_learner(2, 10);

 public:
  Memory memory;
};

TEST(EasyPool, IsInChargeOfTheSecondHalfOfTheEpochs) {
  const auto learner = testing::known_learner(2, 10);
  const Task task = rising_task(1, 5);
  for (int epochs = 1; epochs <= 6; ++epochs) {
    EasyPool pool(0.2, PoolOf::task);
    pool.begin_task(task);
    for (int epoch = 1; epoch <= epochs; ++epoch) {
      EXPECT_EQ(pool.is_in_charge(), epoch > (epochs + 1) / 2) << epoch << " of " << epochs;
      pool.end_epoch(task, *learner, epoch, epochs);
    }
    pool.begin_task(task);
    EXPECT_FALSE(pool.is_in_charge());
  }
}

TEST(EasyPool, HoldsTheEasiestOfTheTaskOrOfEachClass) {
  const auto learner = testing::known_learner(2, 10);
  // Class 0 is easier throughout.
  const Task task = testing::margin_task(
      1, {{0, 90}, {0, 80}, {0, 70}, {0, 60}, {0, 50}, {1, 40}, {1, 30}, {1, 20}, {1, 10}, {1, 5}});
  const auto held = [&](PoolOf of) {
    EasyPool pool(0.4, of);
    pool.begin_task(task);
    pool.end_epoch(task, *learner, 1, 1);
    Ids ids;
    for (std::uint32_t id = 0; id < 10; ++id) {
      if (pool.contains(id)) ids.insert(id);
    }
    return ids;
  };
  EXPECT_EQ(held(PoolOf::task), (Ids{0, 1, 2, 3}));
  EXPECT_EQ(held(PoolOf::each_class), (Ids{0, 1, 5, 6}));
}

TEST(CurRes, IsAReservoirInTheFirstHalfOfTheEpochs) {
  const Task task = rising_task(1, 20);
  const auto curriculum = make_cur_res(0.2);
  const auto reservoir = make_reservoir();
  Show a(*curriculum, 10);
  Show b(*reservoir, 10);
  a.begin(task);
  b.begin(task);
  for (int epoch = 1; epoch <= 3; ++epoch) {
    a.epoch(task, epoch, 5);
    b.epoch(task, epoch, 5);
    testing::expect_same(a.memory, b.memory);
  }
}

TEST(CurRes, StoresOnlyEasyExamplesInTheSecondHalf) {
  const Task task = rising_task(1, 20);  // of 40, the last 8 are easy
  const auto policy = make_cur_res(0.2);
  Show show(*policy, 10);
  show.begin(task);
  for (int epoch = 1; epoch <= 3; ++epoch) show.epoch(task, epoch, 6);
  const Ids before = show.ids(1);
  for (int epoch = 4; epoch <= 6; ++epoch) show.epoch(task, epoch, 6);
  for (const std::uint32_t id : show.ids(1)) EXPECT_TRUE(before.contains(id) || id >= 32) << id;
  EXPECT_NE(show.ids(1), before);
}

TEST(CurRes, EndsTheTaskWithEasyExamplesAsFarAsThereAreAny) {
  const Task task = rising_task(1, 20);
  for (const int epochs : {1, 2, 5}) {
    const auto policy = make_cur_res(0.2);
    Show enough(*policy, 6);
    enough.whole(task, epochs);
    EXPECT_EQ(enough.memory.size(), 6u);
    for (const std::uint32_t id : enough.ids(1)) EXPECT_GE(id, 32u);

    const auto other = make_cur_res(0.2);
    Show scarce(*other, 12);
    scarce.whole(task, epochs);
    EXPECT_EQ(scarce.memory.size(), 12u);
    for (std::uint32_t id = 32; id < 40; ++id) EXPECT_TRUE(scarce.ids(1).contains(id)) << id;
  }
}

TEST(CurRes, LeavesEarlierTasksToTheReservoir) {
  // Whatever the easy examples of task 2 do, task 1 keeps about its share: a half in expectation.
  const Task one = rising_task(1, 50);
  const Task two = rising_task(2, 50);
  const auto policy = make_cur_res(0.2);
  Show show(*policy, 40);
  show.whole(one, 4);
  const Ids before = show.ids(1);
  show.whole(two, 4);
  EXPECT_EQ(show.memory.size(), 40u);
  EXPECT_GE(show.ids(1).size(), 8u);
  EXPECT_LE(show.ids(1).size(), 32u);
  for (const std::uint32_t id : show.ids(1)) EXPECT_TRUE(before.contains(id));
  for (const std::uint32_t id : show.ids(2)) EXPECT_GE(id, 80u) << "20 are easy";
}

TEST(CurRingFull, IsRingFullInTheFirstHalfOfTheEpochs) {
  const Task task = rising_task(1, 20);
  const auto curriculum = make_cur_ring_full(0.1);
  const auto ring = make_ring_full(RingQuota::deal);
  Show a(*curriculum, 10);
  Show b(*ring, 10);
  a.begin(task);
  b.begin(task);
  for (int epoch = 1; epoch <= 2; ++epoch) {
    a.epoch(task, epoch, 4);
    b.epoch(task, epoch, 4);
    testing::expect_same(a.memory, b.memory);
  }
}

TEST(CurRingFull, EndsTheTaskWithTheEasyExamplesOfEachClass) {
  const Task task = rising_task(1, 20);  // 0.4 · 40 / 2 = 8 easy ones of each class: from 24 on
  for (const int epochs : {1, 2, 5}) {
    const auto policy = make_cur_ring_full(0.4);
    Show show(*policy, 11);
    show.whole(task, epochs);
    EXPECT_EQ(show.memory.size(), 11u);
    std::size_t of_class[2] = {0, 0};
    for (const Example& example : show.memory.examples()) {
      EXPECT_GE(example.id, 24u);
      EXPECT_EQ(example.part, Part::ring);
      ++of_class[example.label];
    }
    EXPECT_LE(of_class[0], of_class[1] + 1);
    EXPECT_LE(of_class[1], of_class[0] + 1);
  }
}

TEST(CurRingFull, KeepsOthersWhereAClassHasTooFewEasyOnes) {
  const Task task = rising_task(1, 20);  // 0.1 · 40 / 2 = 2 easy ones of each class
  const auto policy = make_cur_ring_full(0.1);
  Show show(*policy, 10);
  show.whole(task, 5);
  EXPECT_EQ(show.memory.size(), 10u);
  for (std::uint32_t id = 36; id < 40; ++id) EXPECT_TRUE(show.ids(1).contains(id)) << id;
}

// One row of `task`, on its own.
Batch row_of(const Task& task, std::uint32_t row) {
  Batch batch;
  batch.gather(task, {&row, 1});
  return batch;
}

TEST(WeightedReservoir, TakesAnExampleAsOftenAsItsWeightSays) {
  // Two slots, eight offers, then one that stands for five: taken with probability 2 · 5/13.
  const Task task = rising_task(1, 10);
  constexpr int kSeeds = 4000;
  int taken = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    Rng rng(static_cast<std::uint64_t>(seed));
    Memory memory(2, 2);
    ReservoirSampler sampler(0, 2);
    for (std::uint32_t row = 0; row < 8; ++row) sampler.offer(memory, row_of(task, row), 0, rng);
    sampler.offer(memory, row_of(task, 8), 0, /*weight=*/5, rng);
    if (memory.contains(1, 8)) ++taken;
  }
  // 10/13 of 4000 is 3076.9, with a standard deviation of 26.6; five of them.
  EXPECT_NEAR(taken, 3076.9, 133);
}

TEST(WeightedReservoir, CountsWeightsAsOffers) {
  // Three of weight 10/3 and ten of weight 1 leave the same N = 20: the next plain offer has the
  // same chance after both.
  const Task task = rising_task(1, 20);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Memory weighted(1, 2);
    Memory plain(1, 2);
    ReservoirSampler a(0, 1);
    ReservoirSampler b(0, 1);
    Rng ignored(seed);
    for (std::uint32_t row = 0; row < 10; ++row) {
      a.offer(weighted, row_of(task, row), 0, ignored);
      b.offer(plain, row_of(task, row), 0, ignored);
    }
    for (std::uint32_t row = 10; row < 13; ++row) {
      a.offer(weighted, row_of(task, row), 0, 1e-9 + 10.0 / 3, ignored);
    }
    for (std::uint32_t row = 10; row < 20; ++row) b.offer(plain, row_of(task, row), 0, ignored);
    Rng same(seed);
    Rng again(seed);
    a.offer(weighted, row_of(task, 30), 0, same);
    b.offer(plain, row_of(task, 30), 0, again);
    EXPECT_EQ(weighted.contains(1, 30), plain.contains(1, 30));
  }
}

TEST(WeightedReservoir, AlwaysTakesWhatStandsForTheWholeMemory) {
  const Task task = rising_task(1, 10);
  Rng rng(1);
  Memory memory(4, 2);
  ReservoirSampler sampler(0, 4);
  for (std::uint32_t row = 0; row < 4; ++row) sampler.offer(memory, row_of(task, row), 0, rng);
  sampler.offer(memory, row_of(task, 4), 0, /*weight=*/100, rng);
  EXPECT_TRUE(memory.contains(1, 4));
}

}  // namespace curriculum_test
}  // namespace gps
