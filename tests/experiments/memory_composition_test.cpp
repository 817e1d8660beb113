#include <gtest/gtest.h>

#include <algorithm>

#include "experiments/tiny_run.h"

namespace gps {
namespace memory_composition_test {

using testing::tiny_run;
using testing::tiny_spec;
using testing::tiny_spec_without_memory;
using testing::total;

std::size_t size_of(const Composition& composition) {
  std::size_t size = 0;
  for (const TaskShare& share : composition) size += total(share.ring) + total(share.reservoir);
  return size;
}

TEST(MemoryComposition, CountsTheExamplesOfEachTaskClassAndPart) {
  Memory memory(8, 1);
  const auto store = [&](int task, Label label, Part part, std::uint32_t id) {
    const std::uint8_t pixel = 0;
    memory.add({store_image({&pixel, 1}), label, part, task, id});
  };
  store(1, 0, Part::ring, 0);
  store(1, 0, Part::ring, 1);
  store(1, 2, Part::reservoir, 2);
  store(3, 1, Part::reservoir, 0);
  const Composition composition = composition_of(memory, 3, 3);
  ASSERT_EQ(composition.size(), 3u);
  EXPECT_EQ(composition[0].task, 1);
  EXPECT_EQ(composition[0].ring, (std::vector<std::size_t>{2, 0, 0}));
  EXPECT_EQ(composition[0].reservoir, (std::vector<std::size_t>{0, 0, 1}));
  EXPECT_EQ(composition[1].task, 2);
  EXPECT_EQ(total(composition[1].ring) + total(composition[1].reservoir), 0u);
  EXPECT_EQ(composition[2].task, 3);
  EXPECT_EQ(composition[2].ring, (std::vector<std::size_t>{0, 0, 0}));
  EXPECT_EQ(composition[2].reservoir, (std::vector<std::size_t>{0, 1, 0}));
}

TEST(MemoryComposition, EveryPolicyFillsTheMemoryFromTheFirstTaskOn) {
  for (const std::string& policy : names(policy_catalog())) {
    const RunResult result = tiny_run(tiny_spec(policy));
    ASSERT_EQ(result.memory.size(), 3u) << policy;
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(result.memory[i].size(), i + 1) << policy << ": a share for each task so far";
      const std::size_t batches = 10 * (i + 1);  // one a task, which is all that one-batch stores
      const std::size_t expected = policy == "one-batch" ? std::min<std::size_t>(24, batches) : 24;
      EXPECT_EQ(size_of(result.memory[i]), expected) << policy << " after task " << i + 1;
      for (const TaskShare& share : result.memory[i]) {
        EXPECT_EQ(share.ring.size(), 4u) << policy << ": a count for each class";
        EXPECT_EQ(share.reservoir.size(), 4u) << policy << ": a count for each class";
      }
    }
  }
}

TEST(MemoryComposition, AFlooredRingQuotaLeavesSlotsEmpty) {
  Spec spec = tiny_spec("ring-full:floor");
  spec.memory = 30;
  const RunResult result = tiny_run(spec);
  EXPECT_EQ(size_of(result.memory[0]), 4u * 7u);       // 30/4
  EXPECT_EQ(size_of(result.memory[1]), 2u * 4u * 3u);  // 30/8
  EXPECT_EQ(size_of(result.memory[2]), 3u * 4u * 2u);  // 30/12
}

TEST(MemoryComposition, ReservoirAndRingFullEachHaveOnePartOnly) {
  const RunResult reservoir = tiny_run(tiny_spec("reservoir"));
  for (const TaskShare& share : reservoir.memory.back()) EXPECT_EQ(total(share.ring), 0u);
  const RunResult rings = tiny_run(tiny_spec("ring-full"));
  for (const TaskShare& share : rings.memory.back()) {
    EXPECT_EQ(total(share.reservoir), 0u);
    EXPECT_EQ(share.ring, (std::vector<std::size_t>{2, 2, 2, 2})) << "24 slots, 3 x 4 classes";
  }
}

TEST(MemoryComposition, MixedShrinksTheReservoirPartBeforeTheRingPart) {
  // Quotas of 24, 12 and 8 slots; a quarter of each is ring when it is built.
  const RunResult result = tiny_run(tiny_spec("mixed:0.25"));
  using Parts = std::vector<std::pair<std::size_t, std::size_t>>;
  const std::vector<Parts> expected = {{{6, 18}}, {{6, 6}, {3, 9}}, {{6, 2}, {3, 5}, {2, 6}}};
  for (std::size_t i = 0; i < 3; ++i) {
    Parts parts;
    for (const TaskShare& share : result.memory[i])
      parts.emplace_back(total(share.ring), total(share.reservoir));
    EXPECT_EQ(parts, expected[i]) << "after task " << i + 1;
  }
}

TEST(MemoryComposition, MixedTakesARatioForEachTask) {
  Spec spec = tiny_spec("mixed");
  spec.policy.settings["ring"] = std::vector<double>{0, 1, 0.5};
  const RunResult result = tiny_run(spec);
  ASSERT_EQ(result.decisions.size(), 3u);
  EXPECT_EQ(result.decisions[0].plan.ring_size, 0u);
  EXPECT_EQ(result.decisions[1].plan.ring_size, 12u);
  EXPECT_EQ(result.decisions[2].plan.ring_size, 4u);
}

TEST(MemoryComposition, ThePartsOfANewTaskAreWhatWasDecided) {
  for (const std::string policy : {"mixed:0.5", "gps:permutation", "gps:offline"}) {
    const RunResult result = tiny_run(tiny_spec(policy), 2);
    ASSERT_EQ(result.decisions.size(), 3u) << policy;
    for (std::size_t i = 0; i < 3; ++i) {
      const Decision& decision = result.decisions[i];
      const TaskShare& newest = result.memory[i].back();
      EXPECT_EQ(decision.task, static_cast<int>(i) + 1) << policy;
      EXPECT_EQ(total(newest.ring), decision.plan.ring_size) << policy << ", task " << i + 1;
      EXPECT_EQ(total(newest.ring) + total(newest.reservoir), decision.quota) << policy;
      const auto [fewest, most] = std::minmax_element(newest.ring.begin(), newest.ring.end());
      EXPECT_LE(*most - *fewest, 1u) << policy << ": the ring part is balanced";
    }
  }
}

TEST(SwitchingPoints, GpsChoosesTheBestOfWhatItTriedAndTriesNothingAfterTheLastTask) {
  const RunResult result = tiny_run(tiny_spec("gps"), 1);
  ASSERT_EQ(result.decisions.size(), 3u);
  for (std::size_t i = 0; i < 2; ++i) {
    const Decision& decision = result.decisions[i];
    ASSERT_GE(decision.trials.size(), 3u);
    const auto best = std::max_element(
        decision.trials.begin(), decision.trials.end(),
        [](const Trial& a, const Trial& b) { return a.outcome.accuracy < b.outcome.accuracy; });
    const auto chosen =
        std::find_if(decision.trials.begin(), decision.trials.end(),
                     [&](const Trial& trial) { return trial.plan == decision.plan; });
    ASSERT_NE(chosen, decision.trials.end());
    EXPECT_EQ(chosen->outcome.accuracy, best->outcome.accuracy);
  }
  EXPECT_TRUE(result.decisions.back().trials.empty());
  EXPECT_EQ(result.decisions.back().plan.ring_size, result.decisions.back().quota / 2);
}

TEST(MemoryComposition, LearnersWithoutAMemoryHaveNone) {
  for (const char* learner : {"sgd", "joint"}) {
    const RunResult result = tiny_run(tiny_spec_without_memory(learner));
    EXPECT_TRUE(result.memory.empty()) << learner;
    EXPECT_TRUE(result.decisions.empty()) << learner;
  }
}

}  // namespace memory_composition_test
}  // namespace gps
