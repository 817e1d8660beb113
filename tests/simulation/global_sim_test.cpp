#include "gps/simulation/global_sim.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "gps/learners/network_learner.h"
#include "gps/memory/build.h"
#include "gps/simulation/future.h"
#include "gps/training/evaluate.h"
#include "policies/policy_contract.h"
#include "support/passing_learner.h"

namespace gps {
namespace global_sim_test {

// What the clones of a learner went through.
struct Log {
  std::vector<std::vector<std::uint32_t>> batches;
  std::vector<std::uint32_t> draws;
  std::vector<Memory> memories;
};

class LoggingLearner final : public testing::PassingLearner {
 public:
  LoggingLearner(std::unique_ptr<Learner> inner, Log& log)
      : PassingLearner(std::move(inner)), log_(log) {}
  std::unique_ptr<Learner> clone() const override {
    return std::make_unique<LoggingLearner>(inner_->clone(), log_);
  }
  double observe(const Batch& now, const Memory& past, Rng& rng) override {
    log_.batches.push_back(now.ids);
    log_.memories.push_back(past);
    const double loss = inner_->observe(now, past, rng);
    log_.draws.push_back(rng.next_u32());
    return loss;
  }

 private:
  Log& log_;
};

// After task 2 of a long-tailed stream, with |M| = 20 and three tasks to imagine.
class GlobalSim : public ::testing::Test {
 protected:
  GlobalSim() : memory(20, testing::kImageBytes) {
    const Task first = testing::scrambled_task(1, {20, 10, 5, 5});
    build_memory(memory, first, selection_orders(first.train, Rng(1)), {.ring_size = 6});
    learner = testing::tiny_learner(now, "er");
    const auto policy = make_no_memory();
    train_task(*learner, *policy, memory, now, {.epochs = 3, .batch = 10}, Rng(2));
    is_held_back = hold_back(now.train, Score::natural, 12, Rng(3));
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < now.train.size(); ++row) {
      if (is_held_back[row]) rows.push_back(row);
    }
    held_back = now.train.subset(rows);
    orders = selection_orders(now.train, Rng(4)).without(is_held_back);
    future = make_permutation()->after(now, 3, 30, Rng(5));
  }

  Situation situation(const Learner& with) const {
    return {.now = now,
            .orders = orders,
            .held_back = held_back,
            .score = score,
            .future = future,
            .future_share = 0,
            .in_task = in_task,
            .learner = with,
            .memory = memory,
            .training = {.epochs = epochs, .batch = 10},
            .rng = Rng(6),
            .stop = stop};
  }
  Outcome simulate(std::size_t ring_size) const {
    return global_sim({.ring_size = ring_size}, situation(*learner));
  }
  Log log_of(std::size_t ring_size) const {
    Log log;
    const LoggingLearner logging(learner->clone(), log);
    global_sim({.ring_size = ring_size}, situation(logging));
    return log;
  }

  Task now = testing::scrambled_task(2, {20, 10, 5, 5});
  Memory memory;
  std::unique_ptr<Learner> learner;
  std::vector<bool> is_held_back;
  Dataset held_back;
  SelectionOrders orders;
  std::vector<Task> future;
  Score score = Score::natural;
  InTask in_task = InTask::strict;
  int epochs = 2;
  const StopFlag* stop = nullptr;
};

TEST_F(GlobalSim, LeavesLearnerAndMemoryAsTheyAre) {
  const auto parameters = network_of(*learner).parameters();
  const std::vector<Example> examples = memory.examples();
  const SelectionOrders ranked = orders;
  simulate(5);
  EXPECT_EQ(network_of(*learner).parameters(), parameters);
  EXPECT_EQ(memory.examples(), examples);
  EXPECT_EQ(orders.ring, ranked.ring);
  EXPECT_EQ(orders.reservoir, ranked.reservoir);
}

TEST_F(GlobalSim, GivesTheSameBitsEachTime) {
  const Outcome once = simulate(5);
  simulate(2);
  const Outcome again = simulate(5);
  EXPECT_EQ(again.loss, once.loss);
  EXPECT_EQ(again.accuracy, once.accuracy);
}

TEST_F(GlobalSim, DependsOnThePlan) { EXPECT_NE(simulate(0).loss, simulate(10).loss); }

TEST_F(GlobalSim, GivesPlansOfTheSameMemoryTheSameOutcome) {
  // The quota is 10 of 20: a larger ring is no larger.
  EXPECT_EQ(simulate(10).loss, simulate(11).loss);
  EXPECT_EQ(simulate(10).loss, simulate(1000).loss);
}

TEST_F(GlobalSim, ShowsAllCandidatesTheSameBatchesAndDraws) {
  const Log a = log_of(0);
  const Log b = log_of(10);
  EXPECT_EQ(a.batches.size(), 3u * 2u * 3u);  // tasks, epochs, batches of 30 examples
  EXPECT_EQ(a.batches, b.batches);
  EXPECT_EQ(a.draws, b.draws);
}

std::size_t ring_count(const Memory& memory, int task) {
  return static_cast<std::size_t>(
      std::count_if(memory.examples().begin(), memory.examples().end(),
                    [task](const Example& e) { return e.task == task && e.part == Part::ring; }));
}

TEST_F(GlobalSim, ReplaysTheCandidatesMemoryInTheFirstPseudoTask) {
  for (const std::size_t ring_size : {0U, 4U, 10U}) {
    const Log log = log_of(ring_size);
    const Memory& first = log.memories.front();
    EXPECT_EQ(first.count(1), 10u);
    EXPECT_EQ(first.count(2), 10u);
    EXPECT_EQ(ring_count(first, 2), ring_size);
  }
}

TEST_F(GlobalSim, ShrinksTheCandidatesMemoryAtOnceWhereTheTaskRunsAReservoir) {
  in_task = InTask::running;
  for (const std::size_t ring_size : {0U, 4U, 10U}) {
    const Log log = log_of(ring_size);
    // Three tasks share 20 slots: 7, 7, and 6 for a running part that is empty at first.
    const Memory& first = log.memories.front();
    EXPECT_EQ(first.count(1), 7u);
    EXPECT_EQ(first.count(2), 7u);
    EXPECT_EQ(first.count(3), 0u);
    EXPECT_EQ(ring_count(first, 2), std::min<std::size_t>(ring_size, 7));
    EXPECT_EQ(log.memories[4].count(3), 6u);
  }
}

TEST_F(GlobalSim, StoresPseudoTasksAtRandomAndInEqualShares) {
  const Log log = log_of(4);
  // In the last pseudo-task, the memory after the one before it: four tasks.
  for (const int task : {1, 2, 3, 4}) EXPECT_EQ(log.memories.back().count(task), 5u);
  for (const Memory& each : log.memories) {
    EXPECT_LE(each.size(), 20u);
    EXPECT_EQ(ring_count(each, 3) + ring_count(each, 4), 0u);
  }
}

TEST_F(GlobalSim, NeverStoresWhatIsHeldBackForScoring) {
  std::set<std::uint32_t> held_ids;
  for (std::size_t row = 0; row < held_back.size(); ++row) held_ids.insert(held_back.id(row));
  ASSERT_EQ(held_ids.size(), 12u);
  for (const std::size_t ring_size : {0U, 5U, 10U}) {
    const Log log = log_of(ring_size);
    for (const Memory& each : log.memories) {
      for (const Example& e : each.examples()) {
        EXPECT_FALSE(e.task == now.number && held_ids.contains(e.id));
      }
    }
  }
}

TEST_F(GlobalSim, ScoresTheCurrentTaskOnWhatIsHeldBack) {
  future.clear();  // nothing happens, so the score is that of the learner as it is
  const Evaluation expected = evaluate(network_of(*learner), held_back);
  ASSERT_NE(expected.loss, expected.class_loss);
  EXPECT_EQ(simulate(5).loss, expected.loss);
  EXPECT_EQ(simulate(5).accuracy, expected.accuracy);
  score = Score::balanced;
  EXPECT_EQ(simulate(5).loss, expected.class_loss);
  EXPECT_EQ(simulate(5).accuracy, expected.class_accuracy);
}

TEST_F(GlobalSim, ShowsTheLearnerBeforeTheFutureAndAfterEachOfItsTasks) {
  std::vector<int> seen;
  std::vector<double> losses;
  const Outcome end = global_sim({5}, situation(*learner), [&](int tasks, Learner& imagined) {
    seen.push_back(tasks);
    losses.push_back(evaluate(imagined, held_back).loss);
  });
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(losses.front(), evaluate(network_of(*learner), held_back).loss);
  EXPECT_EQ(losses.back(), end.loss);
  EXPECT_EQ(end.loss, simulate(5).loss) << "to look changes nothing";
}

TEST_F(GlobalSim, ScoresTheCurrentTaskAmongItsOwnLabels) {
  future.clear();
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < held_back.size(); ++row) {
    if (held_back.label(row) >= 1) rows.push_back(row);
  }
  held_back = held_back.subset(rows);
  const Outcome among_all = simulate(5);
  now.labels = {1, 2, 3};
  const Evaluation expected = evaluate(network_of(*learner), held_back, now.labels);
  EXPECT_EQ(simulate(5).loss, expected.loss);
  EXPECT_EQ(simulate(5).accuracy, expected.accuracy);
  EXPECT_LT(simulate(5).loss, among_all.loss);
}

TEST_F(GlobalSim, ForgetsTheCurrentTaskWhereItIsNotReplayed) {
  epochs = 20;
  const Outcome replayed = simulate(5);
  learner = testing::tiny_learner(now, "sgd");
  const auto policy = make_no_memory();
  train_task(*learner, *policy, memory, now, {.epochs = 3, .batch = 10}, Rng(2));
  EXPECT_GT(simulate(5).loss, replayed.loss);
}

TEST_F(GlobalSim, StopsWhenAskedTo) {
  StopFlag flag;
  flag.request();
  stop = &flag;
  EXPECT_THROW(simulate(5), Interrupted);
}

TEST_F(GlobalSim, ScoresAFutureInWhichTheLossExplodesWorstOfAll) {
  LearnerOptions options;
  options.learning_rate = std::numeric_limits<float>::max();
  learner = make_learner(options, network_of(*learner).clone());
  const Outcome end = simulate(5);
  EXPECT_EQ(end.loss, std::numeric_limits<double>::infinity());
  EXPECT_EQ(end.accuracy, 0);
}

// Breaks its parameters and does not notice: as in a last step, whose loss is that before it.
class BreakingLearner final : public NetworkLearner {
 public:
  using NetworkLearner::NetworkLearner;
  std::unique_ptr<Learner> clone() const override {
    return std::make_unique<BreakingLearner>(network_->clone());
  }
  double observe(const Batch&, const Memory&, Rng&) override {
    network_->set_parameters(
        std::vector<float>(network_->parameters().size(), std::numeric_limits<float>::quiet_NaN()));
    return 1;
  }
};

TEST_F(GlobalSim, ScoresAFutureThatBreaksTheParametersWorstOfAll) {
  learner = std::make_unique<BreakingLearner>(network_of(*learner).clone());
  const Outcome end = simulate(5);
  EXPECT_EQ(end.loss, std::numeric_limits<double>::infinity());
  EXPECT_EQ(end.accuracy, 0);
}

// Lets the network die in its first step: all weights are zero from then on, and so are all logits.
// Its loss, the logarithm of the number of classes, is finite.
class DyingLearner final : public NetworkLearner {
 public:
  using NetworkLearner::NetworkLearner;
  std::unique_ptr<Learner> clone() const override {
    return std::make_unique<DyingLearner>(network_->clone());
  }
  double observe(const Batch&, const Memory&, Rng&) override {
    network_->set_parameters(std::vector<float>(network_->parameters().size(), 0));
    return 1;
  }
};

TEST_F(GlobalSim, ScoresAFutureInWhichTheNetworkDiesWorstOfAll) {
  held_back = now.train;  // 40 images, 20 of them with the most frequent label
  learner = std::make_unique<DyingLearner>(network_of(*learner).clone());
  const Outcome end = simulate(5);
  EXPECT_FALSE(is_alive(end));
  EXPECT_EQ(end.loss, std::numeric_limits<double>::infinity());
  EXPECT_EQ(end.accuracy, 0);
}

TEST_F(GlobalSim, CallsNoNetworkDeadOnFewImages) {
  ASSERT_LT(held_back.size(), 20u);
  learner = std::make_unique<DyingLearner>(network_of(*learner).clone());
  EXPECT_TRUE(is_alive(simulate(5)));
}

// Diverges where a task ends, as the learner hal may.
class EndingLearner final : public testing::PassingLearner {
 public:
  using PassingLearner::PassingLearner;
  std::unique_ptr<Learner> clone() const override {
    return std::make_unique<EndingLearner>(inner_->clone());
  }
  void end_task(const Task& task, const Memory&, const Rng&) override {
    if (task.number > 2) throw Diverged("not finite");
  }
};

TEST_F(GlobalSim, ScoresAFutureThatDivergesAtTheEndOfATaskWorstOfAll) {
  learner = std::make_unique<EndingLearner>(learner->clone());
  const Outcome end = simulate(5);
  EXPECT_EQ(end.loss, std::numeric_limits<double>::infinity());
  EXPECT_EQ(end.accuracy, 0);
}

}  // namespace global_sim_test
}  // namespace gps
