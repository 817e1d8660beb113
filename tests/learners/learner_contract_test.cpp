// What every learner of the catalogue must do, and what options make none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gps/learners/learner.h"
#include "gps/nn/mlp/fused_mlp.h"
#include "gps/nn/network_options.h"
#include "gps/policies/policy.h"
#include "gps/training/evaluate.h"
#include "gps/training/trainer.h"
#include "support/test_names.h"
#include "support/tiny_data.h"

namespace gps {
namespace learner_contract_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int kClasses = 4;

std::unique_ptr<Learner> tiny_learner(const std::string& name) {
  LearnerOptions options;
  options.name = name;
  return make_learner(options,
                      std::make_unique<FusedMlp>(std::vector<std::size_t>{36, 12, kClasses},
                                                 Initialisation::xavier, Rng(1)));
}

Task tiny_task() { return {1, testing::tiny_dataset(kClasses, 30, 1)}; }

// With the end of the task, for learners that learn then.
std::size_t train(const std::string& name, Learner& learner, const Task& task,
                  std::uint64_t seed = 2) {
  Memory memory(20, task.train.shape().bytes());
  const auto policy = make_reservoir();
  const std::size_t steps =
      train_task(learner, *policy, memory, task, {.epochs = 3, .batch = 10}, Rng(seed));
  if (learns_at_task_end(name)) finish_task(learner, *policy, memory, task, Rng(seed));
  return steps;
}

class LearnerContract : public ::testing::TestWithParam<std::string> {};

TEST_P(LearnerContract, LearnsATinyTask) {
  const auto learner = tiny_learner(GetParam());
  train(GetParam(), *learner, tiny_task());
  // Guessing gets 0.25 of 80 right, with a deviation of 0.048; five of them make 0.49.
  EXPECT_GT(evaluate(*learner, testing::tiny_dataset(kClasses, 20, 2)).accuracy, 0.49);
}

TEST_P(LearnerContract, IsTheSameForTheSameRng) {
  const auto one = tiny_learner(GetParam());
  const auto other = tiny_learner(GetParam());
  train(GetParam(), *one, tiny_task());
  train(GetParam(), *other, tiny_task());
  EXPECT_EQ(network_of(*one).parameters(), network_of(*other).parameters());
}

TEST_P(LearnerContract, ClonesIndependently) {
  const auto learner = tiny_learner(GetParam());
  train(GetParam(), *learner, tiny_task());
  const auto before = network_of(*learner).parameters();
  const auto clone = learner->clone();
  EXPECT_EQ(network_of(*clone).parameters(), before);

  train(GetParam(), *clone, tiny_task(), /*seed=*/3);
  EXPECT_EQ(network_of(*learner).parameters(), before);
  EXPECT_NE(network_of(*clone).parameters(), before);

  train(GetParam(), *learner, tiny_task(), /*seed=*/3);
  EXPECT_EQ(network_of(*learner).parameters(), network_of(*clone).parameters());
}

// Two tasks after one another, the second begun with what the first left behind.
TEST_P(LearnerContract, ClonesWhatItKeepsBetweenTasks) {
  const auto learner = tiny_learner(GetParam());
  const Task task = tiny_task();
  Memory memory(20, task.train.shape().bytes());
  const auto policy = make_reservoir();
  const TrainOptions options{.epochs = 2, .batch = 10};
  train_task(*learner, *policy, memory, task, options, Rng(2));
  finish_task(*learner, *policy, memory, task, Rng(2));

  const auto clone = learner->clone();
  const Task next{2, testing::tiny_dataset(kClasses, 20, 3)};
  const auto go_on = [&](Learner& with) {
    Memory copy = memory;
    const auto same = make_reservoir();
    train_task(with, *same, copy, next, options, Rng(4));
    finish_task(with, *same, copy, next, Rng(4));
    train_task(with, *same, copy, task, options, Rng(5));
    std::vector<float> scores(2 * kClasses);
    Batch batch;
    batch.gather(task, std::vector<std::uint32_t>{0, 1});
    with.scores(batch.images, scores);
    return std::pair(network_of(with).parameters(), scores);
  };
  EXPECT_EQ(go_on(*clone), go_on(*learner));
}

TEST_P(LearnerContract, ImaginesFromWhereItIs) {
  const auto learner = tiny_learner(GetParam());
  train(GetParam(), *learner, tiny_task());
  const auto before = network_of(*learner).parameters();
  const auto imagined = learner->imagine();
  EXPECT_EQ(network_of(*imagined).parameters(), before);
  train(GetParam(), *imagined, tiny_task());
  EXPECT_EQ(network_of(*learner).parameters(), before);
}

TEST_P(LearnerContract, ReturnsTheLossBeforeTheStep) {
  const auto learner = tiny_learner(GetParam());
  // All parameters zero: every class is equally likely, whatever the image.
  const std::vector<float> zeros(network_of(*learner).parameters().size(), 0.0f);
  network_of(*learner).set_parameters(zeros);
  const Task task = tiny_task();
  Batch batch;
  batch.gather(task, std::vector<std::uint32_t>{0, 1, 2});
  Rng rng(3);
  const Memory nothing(20, task.train.shape().bytes());
  // For iCaRL each class is a question of its own, with two answers.
  const bool has_steps = !learns_at_task_end(GetParam());
  const double expected = !has_steps ? 0 : GetParam() == "icarl" ? std::log(2.0) : std::log(4.0);
  EXPECT_NEAR(learner->observe(batch, nothing, rng), expected, 1e-6);
  EXPECT_EQ(network_of(*learner).parameters() != zeros, has_steps);
}

TEST_P(LearnerContract, TellsTruthfullyWhetherItReplays) {
  const Task task = tiny_task();
  Batch batch;
  batch.gather(task, std::vector<std::uint32_t>{0, 1, 2});
  const Memory empty(20, task.train.shape().bytes());
  Memory filled = empty;
  batch.logits.assign(batch.size() * kClasses, 0.5f);  // for those that replay them
  filled.add(filled.make_example(batch, 1, Part::ring));

  const auto without = tiny_learner(GetParam());
  const auto with = tiny_learner(GetParam());
  Rng rng(3);
  const auto learn = [&](Learner& learner, const Memory& memory) {
    learner.observe(batch, memory, rng);
    if (learns_at_task_end(GetParam())) learner.end_task(task, memory, rng);
  };
  learn(*without, empty);
  learn(*with, filled);
  const bool memory_matters = network_of(*without).parameters() != network_of(*with).parameters();
  EXPECT_EQ(memory_matters, replays(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Catalog, LearnerContract, ::testing::ValuesIn(names(learner_catalog())),
                         [](const auto& param) { return testing::test_name(param.param); });

// The message of the UsageError that these options are refused with.
std::string complaint(const LearnerOptions& options) {
  try {
    validate(options);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "(accepted)";
}

TEST(LearnerOptions, AreFineAsTheyCome) {
  for (const std::string& name : names(learner_catalog())) {
    LearnerOptions options;
    options.name = name;
    EXPECT_NO_THROW(validate(options));
  }
}

TEST(LearnerOptions, NameTheKnownLearnersWhenOneIsUnknown) {
  EXPECT_THAT(complaint({.name = "err"}),
              AllOf(HasSubstr("learner 'err'"), HasSubstr(join(names(learner_catalog())))));
  EXPECT_THROW(make_learner({.name = "err"}, nullptr), UsageError);
}

TEST(LearnerOptions, NeedAPositiveLearningRate) {
  EXPECT_EQ(complaint({.learning_rate = 0}), "`lr` must be a positive number, got 0");
  EXPECT_THAT(complaint({.learning_rate = -0.5f}), AllOf(HasSubstr("`lr`"), HasSubstr("-0.5")));
  EXPECT_THAT(complaint({.learning_rate = std::numeric_limits<float>::quiet_NaN()}),
              AllOf(HasSubstr("`lr`"), HasSubstr("nan")));
  EXPECT_THAT(complaint({.learning_rate = std::numeric_limits<float>::infinity()}),
              AllOf(HasSubstr("`lr`"), HasSubstr("inf")));
}

TEST(LearnerOptions, NeedAMemoryBatch) {
  EXPECT_EQ(complaint({.memory_batch = 0}), "`memory-batch` must be between 1 and 1000000, got 0");
  EXPECT_THAT(complaint({.memory_batch = -3}),
              AllOf(HasSubstr("`memory-batch`"), HasSubstr("got -3")));
}

// The complaint about a learner with this one option of its own.
std::string complaint(const std::string& name, const std::string& key, const OptionValue& value) {
  LearnerOptions options;
  options.name = name;
  options.settings[key] = value;
  return complaint(options);
}

TEST(LearnerOptions, NeedALambdaThatIsNotNegative) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const char* name : {"er", "gss", "hal"}) {
    EXPECT_EQ(complaint(name, "lambda", 0.0), "(accepted)");
    EXPECT_EQ(complaint(name, "lambda", -1.0), "`lambda` must be at least 0, got -1");
    EXPECT_THAT(complaint(name, "lambda", inf), AllOf(HasSubstr("`lambda`"), HasSubstr("got inf")));
  }
}

TEST(LearnerOptions, NeedTheirOwnWithinTheirRanges) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto names = [](const char* option, const char* value) {
    return AllOf(HasSubstr(option), HasSubstr(std::string("got ") + value));
  };
  EXPECT_THAT(complaint("hal", "hal_lambda", -1.0), names("`hal-lambda`", "-1"));
  EXPECT_THAT(complaint("hal", "hal_beta", 1.5), names("`hal-beta`", "1.5"));
  EXPECT_THAT(complaint("hal", "hal_gamma", inf), names("`hal-gamma`", "inf"));
  EXPECT_THAT(complaint("hal", "anchor_steps", -1), names("`anchor-steps`", "-1"));
  EXPECT_THAT(complaint("oewc", "ewc_lambda", -0.5), names("`ewc-lambda`", "-0.5"));
  EXPECT_THAT(complaint("oewc", "ewc_gamma", -2.0), names("`ewc-gamma`", "-2"));
  EXPECT_THAT(complaint("icarl", "weight_decay", -1.0), names("`weight-decay`", "-1"));
  EXPECT_THAT(complaint("der", "alpha", -1.0), names("`alpha`", "-1"));
  EXPECT_THAT(complaint("der++", "beta", -1.0), names("`beta`", "-1"));
  EXPECT_THAT(complaint("gss", "repeats", 0), names("`repeats`", "0"));
  EXPECT_THAT(complaint("ogd", "directions", 0), names("`directions`", "0"));
  EXPECT_EQ(complaint("er", "er_loss", "mean"), "`er-loss` must be one of sum, concat, got 'mean'");
}

TEST(LearnerOptions, MayBeZeroWhereThatMeansNothing) {
  for (const char* key : {"hal_lambda", "hal_beta", "hal_gamma"})
    EXPECT_EQ(complaint("hal", key, 0.0), "(accepted)") << key;
  EXPECT_EQ(complaint("hal", "anchor_steps", 0), "(accepted)");
  for (const char* key : {"ewc_lambda", "ewc_gamma"})
    EXPECT_EQ(complaint("oewc", key, 0.0), "(accepted)") << key;
}

TEST(LearnerOptions, MayBeAnotherLearnersButNobodys) {
  EXPECT_EQ(complaint("er", "hal_lambda", 0.5), "(accepted)");
  EXPECT_EQ(complaint("er", "hal_lamda", 0.5), "`hal-lamda` is not an option");
}

TEST(LearnerOptions, AreAskedForByKeyWhereALearnerHasThem) {
  LearnerOptions options;
  set_if_any(options, "lambda", 0.5);
  set_if_any(options, "hal_lambda", 0.5);
  EXPECT_TRUE(options.settings.contains("lambda"));
  EXPECT_FALSE(options.settings.contains("hal_lambda"));
}

TEST(LearnsJointly, IsTrueOfJointAlone) {
  for (const std::string& name : names(learner_catalog())) {
    EXPECT_EQ(learns_jointly(name), name == "joint");
  }
}

TEST(CheckContext, RefusesNetworksAndStreamsThatALearnerCannotLearnWith) {
  NetworkOptions network;
  const auto said = [&](const std::string& learner, bool is_split) {
    try {
      check_context(learner, {network, is_split, "p-mnist"});
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("(fine)");
  };
  for (const std::string& name : names(learner_catalog())) EXPECT_EQ(said(name, true), "(fine)");
  EXPECT_THAT(said("icarl", false), HasSubstr("all tasks of p-mnist have the same classes"));
  network.hidden = {};
  EXPECT_THAT(said("hal", true), HasSubstr("needs features"));
  EXPECT_EQ(said("er", false), "(fine)");
  network.model = "resnet18";
  EXPECT_EQ(said("hal", true), "(fine)") << "which has features without a hidden layer";
}

TEST(LearnsAtTaskEnd, IsTrueOfGdumbAlone) {
  for (const std::string& name : names(learner_catalog())) {
    EXPECT_EQ(learns_at_task_end(name), name == "gdumb");
  }
}

}  // namespace learner_contract_test
}  // namespace gps
