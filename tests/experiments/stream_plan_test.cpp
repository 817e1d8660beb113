// Plans for streams of which nothing has been learnt: their budget, what they are, and their JSON.
#include "gps/experiments/stream_plan.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/tiny_run.h"

namespace gps {
namespace stream_plan_test {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Spec planned_spec() {
  Spec spec = testing::tiny_spec("reservoir");
  spec.planning.knobs = "all";
  return spec;
}

// Time passes only when it is looked at: one second each time. One worker, so that the order of
// calls is always the same.
StreamPlan plan_within(double most_seconds, std::vector<double>* told = nullptr) {
  const Spec spec = planned_spec();
  Executor executor(1);
  const testing::TinySource source(spec.benchmark);
  double now = 100;
  const auto tell = [&](std::size_t count, double seconds) {
    if (told == nullptr) return;
    told->push_back(seconds);
    EXPECT_EQ(told->size(), count);
  };
  return make_stream_plan(spec, 3, *source.stream(3), executor, nullptr, most_seconds, tell,
                          [&] { return now++; });
}

TEST(PlanBudget, IsPercentOrSeconds) {
  EXPECT_EQ(plan_budget_from("10%").percent, "10");
  EXPECT_EQ(plan_budget_from("10%").seconds, 0);
  EXPECT_EQ(plan_budget_from("60s").percent, "");
  EXPECT_EQ(plan_budget_from("60s").seconds, 60);
  EXPECT_EQ(plan_budget_from("0.5s").seconds, 0.5);
  EXPECT_EQ(plan_budget_from("").percent, "");
  EXPECT_EQ(plan_budget_from("").seconds, 0);
}

TEST(PlanBudget, OfAnythingElseIsRefused) {
  for (const char* text : {"10", "%", "s", "0%", "-5%", "1.5%", "0s", "-1s", "nans", "10 %", "10m",
                           "ten%", "10%s", "s10"}) {
    EXPECT_THROW(plan_budget_from(text), OptionError) << text;
  }
  try {
    plan_budget_from("10m");
    FAIL();
  } catch (const OptionError& error) {
    EXPECT_EQ(error.flag(), "budget");
    EXPECT_THAT(error.problem(), HasSubstr("10m"));
  }
}

TEST(StreamPlan, IsThatOfTheRunWithoutALimit) {
  const StreamPlan plan = plan_within(0);
  const RunResult result = testing::tiny_run(planned_spec(), 3);
  EXPECT_EQ(plan.seed, 3u);
  EXPECT_EQ(plan.choice.recipe, result.plan.recipe());
  EXPECT_EQ(plan.choice.trials.size(), result.plan.choices.front().trials.size());
}

TEST(StreamPlan, HasASpecThatFollowsItAndPlansNothing) {
  const StreamPlan plan = plan_within(0);
  EXPECT_TRUE(plan.spec.planning.knobs.empty());
  EXPECT_EQ(recipe_of(plan.spec), plan.choice.recipe);
  EXPECT_EQ(testing::tiny_run(plan.spec, 3).accuracy,
            testing::tiny_run(planned_spec(), 3).accuracy);
}

TEST(StreamPlan, EndsItsSearchWhenItsSecondsAreOver) {
  const StreamPlan whole = plan_within(0);
  const StreamPlan limited = plan_within(3);
  EXPECT_GE(limited.choice.trials.size(), 1u);
  EXPECT_LT(limited.choice.trials.size(), whole.choice.trials.size());
  EXPECT_EQ(plan_within(1e9).choice.trials.size(), whole.choice.trials.size());
}

TEST(StreamPlan, TellsEachTrialAndItsTime) {
  std::vector<double> told;
  const StreamPlan plan = plan_within(0, &told);
  ASSERT_GE(told.size(), 1u);
  EXPECT_EQ(told.front(), 1);  // the second look at the clock
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(plan.seconds, static_cast<double>(told.size()) + 1);
}

TEST(StreamPlan, HasItsCommandAndSecondsInItsJson) {
  const StreamPlan plan = plan_within(0);
  const nlohmann::json json = to_json(plan);
  EXPECT_EQ(json.at("seconds"), plan.seconds);
  EXPECT_EQ(json.at("command"), command_of(plan));
  EXPECT_THAT(command_of(plan), StartsWith("gpscl run "));
  EXPECT_THAT(command_of(plan), HasSubstr("--seed 3"));
  EXPECT_EQ(json.at("choices").size(), 1u);
}

TEST(StreamPlan, EndsWhenItIsToldToStop) {
  const Spec spec = planned_spec();
  Executor executor(1);
  const testing::TinySource source(spec.benchmark);
  StopFlag stop;
  const auto request = [&](std::size_t, double) { stop.request(); };
  EXPECT_THROW(make_stream_plan(spec, 3, *source.stream(3), executor, &stop, 0, request),
               Interrupted);
}

}  // namespace stream_plan_test
}  // namespace gps
