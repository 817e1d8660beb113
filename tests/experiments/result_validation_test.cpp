// Results that contradict themselves are refused, and results of run() are not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "experiments/tiny_run.h"

namespace gps {
namespace result_validation_test {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using testing::tiny_run;
using testing::tiny_spec;
using testing::tiny_spec_without_memory;
using testing::tiny_split_run;
using testing::tiny_split_spec;

// Five tasks of two classes each, with a search after the first four.
const RunResult& whole() {
  static const RunResult result = tiny_split_run(tiny_split_spec("gps"));
  return result;
}

// The message of what result_from_json() throws for the result with one value changed.
std::string refusal(const std::string& place, const nlohmann::json& value) {
  nlohmann::json json = nlohmann::json::parse(to_json(whole()).dump());
  json.erase("checksum");
  json[nlohmann::json::json_pointer(place)] = value;
  try {
    result_from_json(json);
  } catch (const DataError& error) {
    return error.what();
  }
  return "(read)";
}

// The JSON at a place of the result, without its last entry.
nlohmann::json shortened(const std::string& place) {
  nlohmann::json list = to_json(whole()).at(nlohmann::json::json_pointer(place));
  list.erase(list.size() - 1);
  return list;
}

TEST(ValidateResult, AcceptsWhatRunsLeave) {
  for (const char* policy : {"reservoir", "ring-full", "hybrid", "mixed:0.5", "gps", "cur-res"}) {
    EXPECT_NO_THROW(validate(tiny_run(tiny_spec(policy)))) << policy;
    EXPECT_NO_THROW(validate(tiny_split_run(tiny_split_spec(policy)))) << policy;
  }
  for (const char* learner : {"sgd", "joint", "oewc"})
    EXPECT_NO_THROW(validate(tiny_run(tiny_spec_without_memory(learner)))) << learner;
  Spec small = tiny_spec("gps");
  small.memory = 2;  // fewer slots than tasks
  EXPECT_NO_THROW(validate(tiny_run(small)));
}

TEST(ValidateResult, AcceptsWhatWasTestedAndNoMore) {
  for (const char* when : {"seen", "last", "2", "3", "7"}) {
    Spec spec = tiny_split_spec("reservoir");
    spec.evaluation.when = when;
    const RunResult result = tiny_split_run(spec);
    EXPECT_NO_THROW(validate(result)) << when;
    EXPECT_EQ(testing::text_but_for_times(result_from_json(to_json(result))),
              testing::text_but_for_times(result));
    RunResult other = result;
    other.spec.evaluation.when = "every-task";
    EXPECT_THROW(validate(other), DamagedResult) << when;
    other = result;
    other.accuracy.front().assign(5, 0.5);
    EXPECT_THROW(validate(other), DamagedResult) << when;
    other = result;
    other.accuracy.back().clear();
    EXPECT_THROW(validate(other), DamagedResult) << when;
  }
}

TEST(ValidateResult, RefusesATimeOfTestsThatIsNone) {
  EXPECT_THAT(refusal("/spec/evaluate", "sometimes"), HasSubstr("`evaluate` must be every-task"));
  EXPECT_THAT(refusal("/spec/evaluate", "last"), HasSubstr("'a row of accuracy' has 5 entries"));
}

TEST(ValidateResult, AcceptsAsManyExamplesAsFitIntoBytes) {
  for (const char* policy : {"reservoir", "gps"}) {
    Spec spec = tiny_spec(policy);
    spec.memory = 1;
    spec.memory_bytes = 24 * 44;
    spec.codec = "bits:1";
    EXPECT_NO_THROW(validate(tiny_run(spec))) << policy;
  }
}

TEST(ValidateResult, RefusesBytesThatTheMemoryCannotHave) {
  EXPECT_THAT(refusal("/memory_bytes", 8),
              StartsWith("damaged: 'memory_bytes' is 8, which is too few for the "));
  Spec spec = tiny_spec("reservoir");
  spec.memory_bytes = 24 * 44;
  RunResult result = tiny_run(spec);
  EXPECT_EQ(result.memory_bytes, 24u * 44);
  result.memory_bytes = 24 * 44 + 1;
  EXPECT_THROW(validate(result), DamagedResult);
  result.memory_bytes = 24 * 44;
  result.spec.memory_bytes = 24 * 9 - 1;
  EXPECT_THROW(validate(result), DamagedResult);
}

TEST(ValidateResult, AcceptsWhatEarlierVersionsMayLack) {
  nlohmann::json without_bytes = to_json(whole());
  for (const char* key : {"checksum", "memory_bytes"}) without_bytes.erase(key);
  EXPECT_NO_THROW(result_from_json(without_bytes));
  EXPECT_EQ(refusal("/class_accuracy", nlohmann::json::array()), "(read)");
  EXPECT_EQ(refusal("/switching_points", nlohmann::json::array()), "(read)");
  EXPECT_EQ(refusal("/of_a_later_version", 7), "(read)");
}

TEST(ValidateResult, RefusesListsOfTheWrongLength) {
  EXPECT_EQ(refusal("/spec/tasks", 2), "damaged: 'accuracy' has 5 entries; expected 2");
  EXPECT_EQ(refusal("/accuracy", shortened("/accuracy")),
            "damaged: 'accuracy' has 4 entries; expected 5");
  EXPECT_EQ(refusal("/accuracy", nlohmann::json::array()),
            "damaged: 'accuracy' has 0 entries; expected 5");
  EXPECT_EQ(refusal("/accuracy/3", shortened("/accuracy/3")),
            "damaged: 'a row of accuracy' has 4 entries; expected 5");
  for (const char* place : {"/class_accuracy", "/memory"})
    EXPECT_THAT(refusal(place, shortened(place)), StartsWith("damaged: '")) << place;
  for (const char* place :
       {"/class_accuracy/2", "/accuracy_at_initialisation", "/class_incremental/accuracy",
        "/class_incremental/accuracy/4", "/class_incremental/accuracy_at_initialisation", "/labels",
        "/memory/2/tasks", "/memory/4/tasks/1/ring", "/memory/4/tasks/1/reservoir"}) {
    EXPECT_THAT(refusal(place, shortened(place)), StartsWith("damaged: '")) << place;
    EXPECT_THAT(refusal(place, nlohmann::json::array()), StartsWith("damaged: '")) << place;
  }
  EXPECT_THAT(refusal("/task_names", {"one", "two"}),
              HasSubstr("'task_names' has 2 entries; expected 5"));
  EXPECT_THAT(refusal("/class_names", {"one", "two"}), StartsWith("damaged: '"));
}

TEST(ValidateResult, RefusesValuesOutOfRange) {
  const std::vector<std::tuple<std::string, nlohmann::json, std::string>> cases = {
      {"/accuracy/0/0", 1.5, "'a row of accuracy' has the value 1.5; expected 0 to 1"},
      {"/accuracy/4/4", -0.25, "'a row of accuracy' has the value -0.25"},
      {"/accuracy_at_initialisation/1", 2, "'accuracy_at_initialisation'"},
      {"/class_incremental/accuracy/0/0", 10, "'a row of class_incremental.accuracy'"},
      {"/metrics/average_accuracy", 0.0625, "'metrics.average_accuracy' is 0.0625"},
      {"/class_incremental/metrics/average_accuracy", 7, "'class_incremental.metrics"},
      {"/labels/1/0", 10, "'labels' has the label 10 of 10 classes"},
      {"/switching_points/0/task", 0, "'switching_points' has task 0"},
      {"/switching_points/4/task", 6, "'switching_points' has task 6 after task 4"},
      {"/switching_points/1/task", 1, "'switching_points' has task 1 after task 1"},
      {"/switching_points/0/ring_size", 25, "'switching_points' has the ring_size 25 for task 1"},
      {"/switching_points/0/probes/0/ring_size", 99, "'switching_points' has the ring_size 99"},
      {"/switching_points/0/probes/0/accuracy", 71, "'accuracy of probes' has the value 71"},
      {"/memory/1/tasks/0/task", 3, "'memory' has task 3 in the place of task 1"},
      {"/memory/1/tasks/0/ring/0", 1000, "'memory' has more examples than the spec allows"},
      {"/memory/1/tasks/0/ring/0", 18446744073709551615u, "'memory' has more examples"},
      {"/seconds/training", -1, "'seconds' has the value -1"},
  };
  for (const auto& [place, value, part] : cases) {
    EXPECT_THAT(refusal(place, value), StartsWith("damaged: ")) << place;
    EXPECT_THAT(refusal(place, value), HasSubstr(part)) << place;
    EXPECT_THAT(refusal(place, value), Not(HasSubstr("\n"))) << place;
  }
}

TEST(ValidateResult, NamesTheKeyOfAValueOfTheWrongType) {
  const std::vector<std::tuple<std::string, nlohmann::json, std::string>> cases = {
      {"/accuracy/0/0", "good", "'accuracy' has a value of the wrong type"},
      {"/accuracy", 3, "'accuracy' has a value of the wrong type"},
      {"/metrics/forgetting", "none", "'forgetting' has a value of the wrong type"},
      {"/seed", -1, "'seed' has the value -1; expected a whole number"},
      {"/steps", 1.5, "'steps' has the value 1.5; expected a whole number"},
      {"/labels/0/0", 70000, "'labels' has the value 70000"},
      {"/labels/0", 7, "'labels' is not an array of arrays"},
      {"/switching_points", 7, "'switching_points' is not an array"},
      {"/switching_points/0", 7, "'task' is missing"},
      {"/switching_points/0/task", 4294967297, "'task' has the value 4294967297"},
      {"/switching_points/0/ring_size", -4, "'ring_size' has the value -4"},
      {"/memory/0/tasks/0/reservoir/0", -1, "'reservoir' has the value -1"},
      {"/memory/0", nullptr, "'tasks' is missing"},
      {"/seconds", 3, "'training' is missing"},
      {"/memory_bytes", -1, "'memory_bytes' has the value -1"},
      {"/peak_memory_bytes", "much", "'peak_memory_bytes' has the value \"much\""},
  };
  for (const auto& [place, value, part] : cases) {
    EXPECT_THAT(refusal(place, value), HasSubstr(part)) << place;
    EXPECT_THAT(refusal(place, value), StartsWith("not the result of a run: ")) << place;
    EXPECT_THAT(refusal(place, value), Not(HasSubstr("\n"))) << place;
  }
}

// Two choices, the first with a prediction.
RunResult planned() {
  RunResult result = whole();
  result.spec.planning.knobs = "lr,length";
  RecipeChoice first;
  first.trials = {{Recipe(), 0.75, true, 10}, {Recipe(), 0.5, false, 5}};
  first.expected = Expected{0.7, 0.6, 0.8};
  first.work = 15;
  RecipeChoice second;
  second.task = 4;
  result.plan.choices = {first, second};
  return result;
}

TEST(ValidateResult, AcceptsPlansThatFitTheRun) {
  EXPECT_NO_THROW(validate(planned()));
  RunResult result = planned();
  result.plan.choices[0].expected = Expected{1, 1, 1};
  result.plan.choices[1].task = 5;
  EXPECT_NO_THROW(validate(result));
  const nlohmann::json json = nlohmann::json::parse(to_json(result).dump());
  EXPECT_EQ(to_json(result_from_json(json)), json);
}

TEST(ValidateResult, RefusesDamagedPlans) {
  using Damage = std::function<void(PlanRecord&)>;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::pair<Damage, std::string>> cases = {
      {[](PlanRecord& plan) { plan.choices[0].task = 0; }, "'plan' has task 0 after task 0"},
      {[](PlanRecord& plan) { plan.choices[1].task = 1; }, "'plan' has task 1 after task 1"},
      {[](PlanRecord& plan) { plan.choices[1].task = 6; },
       "'plan' has task 6 after task 1; there are 5 tasks"},
      {[](PlanRecord& plan) { plan.choices[0].trials[1].score = 1.25; },
       "'accuracy of trials of plan' has the value 1.25; expected 0 to 1"},
      {[](PlanRecord& plan) { plan.choices[0].trials[0].score = -0.5; },
       "'accuracy of trials of plan' has the value -0.5"},
      {[&](PlanRecord& plan) { plan.choices[0].trials[0].score = nan; },
       "'accuracy of trials of plan'"},
      {[](PlanRecord& plan) { plan.choices[0].expected->low = 0.75; },
       "'plan' expects 0.7, which is not in its interval, 0.75 to 0.8"},
      {[](PlanRecord& plan) { plan.choices[0].expected->high = 0.65; },
       "'plan' expects 0.7, which is not in its interval, 0.6 to 0.65"},
      {[](PlanRecord& plan) { plan.choices[0].expected->low = -0.25; },
       "'expected of plan' has the value -0.25"},
      {[](PlanRecord& plan) { plan.choices[0].expected->high = 2; },
       "'expected of plan' has the value 2"},
      {[&](PlanRecord& plan) { plan.choices[0].expected->accuracy = nan; }, "'expected of plan'"},
      {[](PlanRecord& plan) { plan.choices[0].work = -1; }, "'work of plan' has the value -1"},
      {[&](PlanRecord& plan) { plan.choices[0].work = nan; }, "'work of plan'"},
  };
  for (const auto& [damage, part] : cases) {
    RunResult result = planned();
    damage(result.plan);
    try {
      validate(result);
      ADD_FAILURE() << "accepted: " << part;
    } catch (const DamagedResult& error) {
      EXPECT_THAT(error.what(), StartsWith("damaged: "));
      EXPECT_THAT(error.what(), HasSubstr(part));
    }
  }
}

TEST(ValidateResult, RefusesPlansThatWereDamagedInTheirFile) {
  const std::vector<std::pair<std::string, nlohmann::json>> cases = {
      {"/plan/choices/1/task", 6},
      {"/plan/choices/1/task", 1},
      {"/plan/choices/0/trials/0/accuracy", 75},
      {"/plan/choices/0/expected/low", 0.79},
      {"/plan/choices/0/expected/high", "much"},
      {"/plan/choices/0/recipe/learner", "a learner that nobody knows"},
      {"/plan/choices", 7},
      {"/plan", nlohmann::json::array()},
  };
  for (const auto& [place, value] : cases) {
    nlohmann::json json = nlohmann::json::parse(to_json(planned()).dump());
    json.erase("checksum");
    ASSERT_NO_THROW(result_from_json(json));
    json[nlohmann::json::json_pointer(place)] = value;
    EXPECT_THROW(result_from_json(json), DataError) << place;
  }
}

}  // namespace result_validation_test
}  // namespace gps
