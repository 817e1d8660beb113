#include "gps/training/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "gps/learners/network_learner.h"
#include "gps/nn/mlp/fused_mlp.h"
#include "support/tiny_data.h"

namespace gps {
namespace trainer_test {

using ::testing::HasSubstr;

Task tiny_task(int number, std::size_t per_class = 9) {
  return {number, testing::tiny_dataset(3, per_class, 1, /*side=*/4)};
}

// Writes down the batches it is given, and calls on_step(step) for the loss to return.
class NotingLearner final : public NetworkLearner {
 public:
  NotingLearner()
      : NetworkLearner(std::make_unique<FusedMlp>(std::vector<std::size_t>{2, 2},
                                                  Initialisation::xavier, Rng(1))) {}
  std::unique_ptr<Learner> clone() const override { return std::make_unique<NotingLearner>(*this); }
  double observe(const Batch& now, const Memory& past, Rng& rng) override {
    batches.push_back(now.ids);
    tasks.push_back(now.task);
    memory_sizes.push_back(past.size());
    draws.push_back(rng.next_u32());
    return on_step(batches.size());
  }

  std::vector<std::vector<std::uint32_t>> batches;
  std::vector<int> tasks;
  std::vector<std::size_t> memory_sizes;
  std::vector<std::uint32_t> draws;
  std::function<double(std::size_t)> on_step = [](std::size_t) { return 1.0; };
};

// Writes down what it is shown, and draws from its stream now and then.
class NotingPolicy final : public MemoryPolicy {
 public:
  void begin_task(Memory&, const Task& task, const Rng&) override { begun.push_back(task.number); }
  void observe(Memory&, const Batch& batch, Rng& rng) override {
    batches.push_back(batch.ids);
    for (std::size_t k = 0; k < batches.size() % 3; ++k) rng.next_u32();
  }
  void end_task(Memory&, const Task& task, const Rng&) override { ended.push_back(task.number); }

  std::vector<std::vector<std::uint32_t>> batches;
  std::vector<int> begun;
  std::vector<int> ended;
};

class TrainTask : public ::testing::Test {
 protected:
  std::size_t train(const Task& task, const TrainOptions& options, const TrainHooks& hooks = {}) {
    return train_task(learner, policy, memory, task, options, Rng(4), hooks);
  }

  NotingLearner learner;
  NotingPolicy policy;
  Memory memory{10, 16};
};

TEST_F(TrainTask, TakesOneStepABatchRaggedOnesIncluded) {
  for (const int batch : {1, 4, 9, 10, 13, 26, 27, 28, 100}) {
    for (const int epochs : {1, 2, 5}) {
      learner.batches.clear();
      const TrainOptions options{.epochs = epochs, .batch = batch};
      const std::size_t steps = train(tiny_task(1), options);  // 27 examples
      const auto expected = static_cast<std::size_t>(epochs * ((27 + batch - 1) / batch));
      EXPECT_EQ(steps, expected);
      EXPECT_EQ(steps_for(27, options), expected);
      EXPECT_EQ(learner.batches.size(), expected);
    }
  }
}

TEST_F(TrainTask, TakesAsManyStepsAsItIsTold) {
  for (const int steps : {1, 2, 3, 4, 8, 9, 10}) {  // three steps are a pass over 27 examples
    learner.batches.clear();
    const TrainOptions options{.epochs = 2, .batch = 10, .steps = steps};
    EXPECT_EQ(train(tiny_task(1), options), static_cast<std::size_t>(steps));
    EXPECT_EQ(learner.batches.size(), static_cast<std::size_t>(steps));
    EXPECT_EQ(steps_for(27, options), static_cast<std::size_t>(steps));
    EXPECT_EQ(passes_for(27, options), (steps + 2) / 3);
  }
}

TEST_F(TrainTask, OfFewerStepsIsTheBeginningOfOneOfMore) {
  train(tiny_task(1), {.epochs = 3, .batch = 10});
  const auto all = learner.batches;
  learner.batches.clear();
  train(tiny_task(1), {.epochs = 1, .batch = 10, .steps = 7});
  EXPECT_EQ(learner.batches, (std::vector(all.begin(), all.begin() + 7)));
}

TEST_F(TrainTask, ShowsEveryExampleOnceAnEpochToLearnerAndPolicy) {
  train(tiny_task(3), {.epochs = 4, .batch = 10});
  ASSERT_EQ(learner.batches.size(), 12u);
  EXPECT_EQ(policy.batches, learner.batches);
  EXPECT_EQ(learner.tasks, std::vector<int>(12, 3));
  for (std::size_t epoch = 0; epoch < 4; ++epoch) {
    std::vector<std::uint32_t> ids;
    for (std::size_t step = 3 * epoch; step < 3 * epoch + 3; ++step) {
      ids.insert(ids.end(), policy.batches[step].begin(), policy.batches[step].end());
    }
    std::sort(ids.begin(), ids.end());
    std::vector<std::uint32_t> all(27);
    std::iota(all.begin(), all.end(), 0u);
    EXPECT_EQ(ids, all);
  }
}

TEST_F(TrainTask, ShufflesAnewEachEpoch) {
  train(tiny_task(1), {.epochs = 3, .batch = 27});
  EXPECT_NE(learner.batches[0], learner.batches[1]);
  EXPECT_NE(learner.batches[1], learner.batches[2]);
}

TEST_F(TrainTask, HasADataOrderAndDrawsThatThePolicyCannotChange) {
  const TrainOptions options{.epochs = 3, .batch = 10};
  train(tiny_task(1), options);
  for (const auto& other : {make_no_memory(), make_reservoir(), make_ring_full(RingQuota::deal)}) {
    NotingLearner again;
    Memory empty(10, 16);
    train_task(again, *other, empty, tiny_task(1), options, Rng(4));
    EXPECT_EQ(again.batches, learner.batches);
    EXPECT_EQ(again.draws, learner.draws);
  }
  NotingLearner otherwise;
  train_task(otherwise, policy, memory, tiny_task(1), options, Rng(5));
  EXPECT_NE(otherwise.batches, learner.batches);
}

TEST_F(TrainTask, LetsThePolicyEditTheMemoryAfterEachStep) {
  const auto reservoir = make_reservoir();
  train_task(learner, *reservoir, memory, tiny_task(1), {.epochs = 1, .batch = 4}, Rng(4));
  EXPECT_EQ(learner.memory_sizes, (std::vector<std::size_t>{0, 4, 8, 10, 10, 10, 10}));
}

TEST_F(TrainTask, BeginsTheTaskAndLeavesItsEndToTheCaller) {
  train(tiny_task(6), {.epochs = 2, .batch = 10});
  EXPECT_EQ(policy.begun, std::vector<int>{6});
  EXPECT_TRUE(policy.ended.empty());
}

TEST_F(TrainTask, StopsBeforeTheNextStep) {
  StopFlag stop;
  learner.on_step = [&](std::size_t step) {
    if (step == 5) stop.request();
    return 1.0;
  };
  EXPECT_THROW(train(tiny_task(1), {.epochs = 3, .batch = 10}, {.stop = &stop, .progress = {}}),
               Interrupted);
  EXPECT_EQ(learner.batches.size(), 5u);
}

TEST_F(TrainTask, TakesNoStepIfAskedToStopBefore) {
  StopFlag stop;
  stop.request();
  EXPECT_THROW(train(tiny_task(1), {.epochs = 3, .batch = 10}, {.stop = &stop, .progress = {}}),
               Interrupted);
  EXPECT_TRUE(learner.batches.empty());
}

TEST_F(TrainTask, NamesTaskEpochAndStepWhenAWeightIsNoLongerFinite) {
  // Behind a ReLU, a weight that is not a number may leave the loss alone.
  learner.on_step = [&](std::size_t step) {
    if (step == 4) network_of(learner).weights()[0] = std::numeric_limits<float>::quiet_NaN();
    return 1.0;
  };
  try {
    train(tiny_task(7), {.epochs = 3, .batch = 10});  // three steps an epoch
    FAIL() << "it went unnoticed";
  } catch (const Diverged& error) {
    EXPECT_THAT(error.what(), HasSubstr("a weight"));
    EXPECT_THAT(error.what(), HasSubstr("task 7, epoch 2, step 6"));
  }
}

TEST_F(TrainTask, NamesTaskEpochAndStepWhenTheLossIsNoLongerFinite) {
  for (const double loss :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    learner.batches.clear();
    learner.on_step = [&](std::size_t step) { return step == 5 ? loss : 1.0; };
    try {
      train(tiny_task(7), {.epochs = 3, .batch = 10});
      FAIL() << "a loss of " << loss << " went unnoticed";
    } catch (const Diverged& error) {
      EXPECT_THAT(error.what(), HasSubstr("task 7, epoch 2, step 5"));
      EXPECT_THAT(error.what(), HasSubstr("no longer a finite number"));
      EXPECT_THAT(error.what(), HasSubstr("smaller learning rate"));
    }
    EXPECT_EQ(learner.batches.size(), 5u);
  }
}

TEST_F(TrainTask, NoticesThatAHugeLearningRateDiverges) {
  for (const std::string name : {"sgd", "er"}) {
    LearnerOptions options;
    options.name = name;
    options.learning_rate = 1e30f;
    const auto diverging =
        make_learner(options, std::make_unique<FusedMlp>(std::vector<std::size_t>{16, 8, 3},
                                                         Initialisation::xavier, Rng(1)));
    const auto reservoir = make_reservoir();
    Memory replayed(10, 16);
    try {
      train_task(*diverging, *reservoir, replayed, tiny_task(7), {.epochs = 3, .batch = 5}, Rng(4));
      ADD_FAILURE() << name << " went on";
    } catch (const Diverged& error) {
      EXPECT_THAT(error.what(), HasSubstr("task 7, epoch 1, step "));
    }
  }
}

TEST_F(TrainTask, ReportsProgressThatSumsToTheSteps) {
  // 27 examples: 27, 243, 540 and 256 steps, the last a whole number of reports.
  for (const TrainOptions options :
       {TrainOptions{1, 1}, TrainOptions{9, 1}, TrainOptions{20, 1}, TrainOptions{64, 7}}) {
    std::size_t reported = 0;
    std::vector<int> epochs;
    TrainHooks hooks;
    hooks.progress = [&](int epoch, std::size_t steps) {
      EXPECT_GT(steps, 0u);
      reported += steps;
      EXPECT_EQ(reported, policy.batches.size());
      epochs.push_back(epoch);
    };
    policy.batches.clear();
    EXPECT_EQ(train(tiny_task(1), options, hooks), reported);
    EXPECT_TRUE(std::is_sorted(epochs.begin(), epochs.end()));
    EXPECT_EQ(epochs.back(), options.epochs);
    EXPECT_GE(epochs.size(), reported / 300) << "too seldom for a progress line";
  }
}

TEST_F(TrainTask, GivesTheSameParametersForTheSameRng) {
  const auto run = [](std::uint64_t seed) {
    const auto er = make_learner({}, std::make_unique<FusedMlp>(std::vector<std::size_t>{16, 8, 3},
                                                                Initialisation::xavier, Rng(1)));
    const auto reservoir = make_reservoir();
    Memory replayed(10, 16);
    train_task(*er, *reservoir, replayed, tiny_task(1), {.epochs = 3, .batch = 5}, Rng(seed));
    return network_of(*er).parameters();
  };
  EXPECT_EQ(run(4), run(4));
  EXPECT_NE(run(4), run(5));
}

}  // namespace trainer_test
}  // namespace gps
