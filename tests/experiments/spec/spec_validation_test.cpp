#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "gps/experiments/spec/spec.h"

namespace gps {
namespace spec_validation_test {

using ::testing::HasSubstr;
using ::testing::Not;

struct Mistake {
  std::function<void(Spec&)> make;
  std::vector<std::string> named;  // what the message must name: the thing, the value, the remedy
};

std::string refusal_of(const Spec& spec) {
  try {
    validate(spec);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "(accepted)";
}

void expect_refused(const std::vector<Mistake>& mistakes, const std::string& policy = "reservoir") {
  for (const Mistake& mistake : mistakes) {
    Spec spec;
    set_policy(spec.policy, policy);
    mistake.make(spec);
    const std::string message = refusal_of(spec);
    for (const std::string& part : mistake.named) EXPECT_THAT(message, HasSubstr(part));
    EXPECT_THAT(message, Not(HasSubstr("\n")));
  }
}

TEST(Validate, AcceptsEveryPolicyLearnerAndBenchmarkWithThePapersOptions) {
  for (const std::string& policy : names(policy_catalog())) {
    Spec spec;
    set_policy(spec.policy, policy);
    EXPECT_NO_THROW(validate(spec)) << policy;
  }
  for (const std::string& learner : names(learner_catalog())) {
    Spec spec;
    spec.learner.name = learner;
    spec.policy.name = replays(learner) ? "reservoir" : "none";
    if (learner == "icarl") spec.benchmark.name = "s-mnist";
    EXPECT_NO_THROW(validate(spec)) << learner;
  }
  for (const std::string& benchmark : names(benchmark_catalog())) {
    Spec spec;
    spec.benchmark.name = benchmark;
    EXPECT_NO_THROW(validate(spec)) << benchmark;
  }
}

TEST(Validate, AcceptsTheEndsOfEveryRange) {
  Spec spec;
  spec.benchmark.tasks = 1;
  spec.training = {1, 1};
  spec.network.hidden = {};
  spec.memory = 1;
  spec.learner.memory_batch = 1;
  spec.learner.settings["lambda"] = 0.0;
  spec.policy.settings["score_examples"] = 1;
  spec.policy.settings["gss_batch"] = 1;
  spec.policy.settings["easy_fraction"] = 1.0;
  spec.policy.settings["smallest_stride"] = 5;
  spec.policy.settings["largest_stride"] = 5;
  spec.policy.settings["reuse"] = 0.0;
  for (const double ratio : {0.0, 1.0}) {
    spec.policy.settings["ring"] = std::vector<double>{ratio};
    for (const std::string& policy : names(policy_catalog())) {
      spec.policy.name = policy;
      EXPECT_NO_THROW(validate(spec)) << policy;
    }
  }
}

TEST(Validate, RefusesUnknownNamesAndListsTheKnownOnes) {
  expect_refused({
      {[](Spec& s) { s.benchmark.name = "p-mnst"; }, {"benchmark 'p-mnst'", "p-mnist"}},
      {[](Spec& s) { s.learner.name = "eer"; }, {"learner 'eer'", join(names(learner_catalog()))}},
      {[](Spec& s) { s.policy.name = "ring"; }, {"policy 'ring'", join(names(policy_catalog()))}},
      {[](Spec& s) { s.policy.name = "none"; }, {"'er'", "needs a memory", "`policy`"}},
      {[](Spec& s) {
         s.policy.name = "gps";
         s.policy.settings["future"] = "past";
       },
       {"`future`", "got 'past'", join(names(future_catalog()))}},
      {[](Spec& s) { s.network.initialisation = "he"; }, {"'he'", "xavier, pytorch"}},
  });
}

TEST(Validate, RefusesNumbersOutOfRangeNamingTheOptionAndTheValue) {
  expect_refused({
      {[](Spec& s) { s.benchmark.tasks = 0; }, {"`tasks`", "between 1 and", "got 0"}},
      {[](Spec& s) { s.benchmark.examples_per_task = -1; }, {"`examples-per-task`", "got -1"}},
      {[](Spec& s) { s.benchmark.imbalance = 0.5; }, {"`imbalance`", "got 0.5"}},
      {[](Spec& s) { s.benchmark.imbalance = 2e6; }, {"`imbalance`", "1000000", "got 2000000"}},
      {[](Spec& s) { s.benchmark.imbalance = std::nan(""); }, {"`imbalance`", "got nan"}},
      {[](Spec& s) { s.training.epochs = 0; }, {"`epochs`", "between 1 and 1000000", "got 0"}},
      {[](Spec& s) { s.training.batch = -10; }, {"`batch`", "between 1 and", "got -10"}},
      {[](Spec& s) {
         s.network.hidden = {100, 0};
       },
       {"`hidden`", "between 1 and", "got 0"}},
      {[](Spec& s) { s.memory = 0; }, {"`memory`", "between 1 and 100000000", "got 0"}},
      {[](Spec& s) { s.learner.learning_rate = 0; }, {"`lr`", "positive", "got 0"}},
      {[](Spec& s) { s.learner.learning_rate = std::nanf(""); }, {"`lr`", "got nan"}},
      {[](Spec& s) { s.learner.learning_rate = std::numeric_limits<float>::infinity(); },
       {"`lr`", "got inf"}},
      {[](Spec& s) { s.learner.settings["lambda"] = -1.0; }, {"`lambda`", "got -1"}},
      {[](Spec& s) { s.learner.settings["lambda"] = std::numeric_limits<double>::infinity(); },
       {"`lambda`", "got inf"}},
      {[](Spec& s) { s.learner.memory_batch = 0; }, {"`memory-batch`", "between 1 and", "got 0"}},
  });
}

TEST(Validate, RefusesOptionsOfTheSimulationOutOfRange) {
  expect_refused(
      {
          {[](Spec& s) { s.policy.settings["simulation_epochs"] = -1; },
           {"`sim-epochs`", "got -1"}},
          {[](Spec& s) { s.policy.settings["simulation_examples"] = -2; },
           {"`sim-examples`", "got -2"}},
          {[](Spec& s) { s.policy.settings["window"] = -3; }, {"`window`", "got -3"}},
          {[](Spec& s) { s.policy.settings["window"] = 1'000'000; },
           {"`window`", "between 0 and 1000", "got 1000000"}},
          {[](Spec& s) { s.policy.settings["score_examples"] = 0; },
           {"`score-examples`", "at least 1", "got 0"}},
          {[](Spec& s) { s.policy.settings["stride"] = -4; }, {"`stride`", "got -4"}},
          {[](Spec& s) { s.policy.settings["smallest_stride"] = -5; }, {"`min-stride`", "got -5"}},
          {[](Spec& s) { s.policy.settings["largest_stride"] = -6; }, {"`max-stride`", "got -6"}},
          {[](Spec& s) {
             s.policy.settings["smallest_stride"] = 30;
             s.policy.settings["largest_stride"] = 20;
           },
           {"`min-stride` (30)", "`max-stride` (20)"}},
      },
      "gps");
}

TEST(Validate, RefusesRingRatiosThatAreNoSharesOrNotOneATask) {
  expect_refused(
      {
          {[](Spec& s) { s.policy.settings["ring"] = std::vector<double>{1.5}; },
           {"`ring`", "between 0 and 1", "got 1.5"}},
          {[](Spec& s) { s.policy.settings["ring"] = std::vector<double>{-0.5}; },
           {"`ring`", "between 0 and 1", "got -0.5"}},
          {[](Spec& s) { s.policy.settings["ring"] = std::vector<double>{std::nan("")}; },
           {"`ring`", "got nan"}},
          {[](Spec& s) { s.policy.settings["ring"] = std::vector<double>{}; },
           {"`ring`", "at least one"}},
          {[](Spec& s) {
             s.policy.settings["ring"] = std::vector<double>{0.1, 0.2, 0.3};
           },
           {"`ring`", "10 tasks", "got 3"}},
      },
      "mixed");
  Spec one_a_task;
  one_a_task.policy.name = "mixed";
  one_a_task.benchmark.tasks = 3;
  one_a_task.policy.settings["ring"] = std::vector<double>{0.1, 0.2, 0.3};
  EXPECT_NO_THROW(validate(one_a_task));
}

TEST(Validate, RefusesAFlooredRingQuotaThatWouldRoundToNothing) {
  Spec spec;
  set_policy(spec.policy, "ring-full:floor");
  spec.benchmark.tasks = 4;
  spec.memory = 40;
  EXPECT_NO_THROW(validate(spec));
  spec.memory = 39;
  const std::string message = refusal_of(spec);
  for (const char* part : {"`ring-quota` floor", "4 x 10 = 40", "got 39"})
    EXPECT_THAT(message, HasSubstr(part));
  set_policy(spec.policy, "ring-full:deal");
  EXPECT_NO_THROW(validate(spec));
}

TEST(Validate, CountsTheClassesOfEachTaskForAFlooredRingQuota) {
  Spec spec;
  set_policy(spec.policy, "ring-full:floor");
  spec.benchmark.name = "s-mnist";
  spec.benchmark.tasks = 5;
  spec.memory = 10;
  EXPECT_NO_THROW(validate(spec));
  spec.memory = 9;
  EXPECT_THAT(refusal_of(spec), HasSubstr("5 x 2 = 10"));
}

TEST(Validate, RefusesTasksThatDoNotDivideTheClasses) {
  expect_refused({{[](Spec& s) {
                     s.benchmark.name = "s-mnist";
                     s.benchmark.tasks = 3;
                   },
                   {"`tasks`", "10 classes", "1, 2, 5, 10", "got 3"}}});
}

TEST(Validate, RefusesHalWithoutHiddenLayers) {
  Spec spec;
  spec.learner.name = "hal";
  spec.network.hidden = {};
  EXPECT_THAT(refusal_of(spec), HasSubstr("`hidden`"));
  spec.learner.name = "er";
  EXPECT_NO_THROW(validate(spec));
}

TEST(Validate, RefusesICarlWhereNoTaskBringsNewClasses) {
  Spec spec;
  spec.learner.name = "icarl";
  EXPECT_THAT(refusal_of(spec), AllOf(HasSubstr("icarl"), HasSubstr("p-mnist")));
  spec.benchmark.name = "s-mnist";
  spec.benchmark.tasks = 5;
  EXPECT_NO_THROW(validate(spec));
}

TEST(Validate, RefusesAPolicyForLearnersThatKeepNoMemory) {
  for (const char* learner : {"sgd", "joint", "oewc"}) {
    Spec spec;
    spec.learner.name = learner;
    for (const char* part : {learner, "no memory", "`policy`", "'reservoir'"})
      EXPECT_THAT(refusal_of(spec), HasSubstr(part));
  }
}

}  // namespace spec_validation_test
}  // namespace gps
