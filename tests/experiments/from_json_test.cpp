// Specs and results read back from their JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "experiments/tiny_run.h"
#include "gps/experiments/spec/presets.h"

namespace gps {
namespace from_json_test {

using ::testing::HasSubstr;
using testing::tiny_run;
using testing::tiny_spec;
using testing::tiny_split_run;
using testing::tiny_split_spec;

// Every option at a value that is not its default.
Spec unusual_spec() {
  Spec spec;
  spec.benchmark = {"s-fashion-mnist", 2, 77, 12.5};
  LearnerOptions& learner = spec.learner;
  learner.learning_rate = 0.03f;
  learner.memory_batch = 7;
  learner.settings["lambda"] = 0.7;
  learner.settings["er_loss"] = "concat";
  learner.settings["alpha"] = 0.31;
  learner.settings["beta"] = 0.41;
  learner.settings["der_logits"] = "task-end";
  learner.settings["hal_lambda"] = 0.2;
  learner.settings["hal_beta"] = 0.3;
  learner.settings["hal_gamma"] = 0.6;
  learner.settings["anchor_steps"] = 11;
  learner.settings["hal_variant"] = "mammoth";
  learner.settings["ewc_lambda"] = 0.9;
  learner.settings["ewc_gamma"] = 0.8;
  learner.settings["fisher"] = "mammoth";
  learner.settings["weight_decay"] = 0.001;
  learner.settings["repeats"] = 3;
  learner.settings["directions"] = 13;
  spec.training = {3, 17};
  spec.network.hidden = {5, 6, 7};
  spec.network.initialisation = "pytorch";
  spec.memory = 123;
  spec.policy.settings["ring"] = std::vector<double>{0.1, 0.9};
  spec.policy.settings["ring_quota"] = "floor";
  spec.policy.settings["in_task"] = "running";
  spec.policy.settings["base"] = "curriculum";
  spec.policy.settings["easy_fraction"] = 0.35;
  spec.policy.settings["easy_rank"] = "epoch";
  spec.policy.settings["gss_variant"] = "greedy";
  spec.policy.settings["gss_batch"] = 4;
  spec.policy.settings["future"] = "rotation";
  spec.policy.settings["simulation_epochs"] = 2;
  spec.policy.settings["simulation_examples"] = 55;
  spec.policy.settings["window"] = 4;
  spec.policy.settings["knows_length"] = false;
  spec.policy.settings["objective"] = "loss";
  spec.policy.settings["score"] = "balanced";
  spec.policy.settings["score_examples"] = 99;
  spec.policy.settings["stride"] = 9;
  spec.policy.settings["smallest_stride"] = 8;
  spec.policy.settings["largest_stride"] = 12;
  spec.policy.settings["reuse"] = 0.125;
  return spec;
}

// The message of what spec_from_json() throws.
std::string complaint(const nlohmann::json& json) {
  try {
    spec_from_json(json);
  } catch (const DataError& error) {
    return error.what();
  }
  return "(read)";
}

TEST(SpecFromJson, IsTheWayBackForEveryLearnerAndPolicyWithUnusualOptions) {
  for (Spec spec : {Spec(), unusual_spec()}) {
    for (const std::string& learner : names(learner_catalog())) {
      spec.learner.name = learner;
      std::vector<std::string> policies = names(policy_catalog());
      if (!replays(learner)) policies = {"none"};
      for (const std::string& policy : policies) {
        spec.policy.name = policy;
        const nlohmann::json json = to_json(spec);
        EXPECT_EQ(to_json(spec_from_json(json)), json);
        EXPECT_EQ(to_json(spec_from_json(json)).dump(), json.dump()) << "the canonical text";
      }
    }
  }
}

TEST(SpecFromJson, NamesWhatThisVersionDoesNotKnow) {
  nlohmann::json json = to_json(Spec());
  json["momentum"] = 0.9;
  EXPECT_THAT(complaint(json), HasSubstr("momentum = 0.9"));
  json = to_json(Spec());
  json["er_loss"] = "median";
  EXPECT_THAT(complaint(json), HasSubstr("er_loss = \"median\""));
  Spec gps;
  set_policy(gps.policy, "gps");
  json = to_json(gps);
  json["future"] = "past";
  EXPECT_THAT(complaint(json), HasSubstr("future = \"past\""));
  json = to_json(Spec());
  json["tasks"] = "ten";
  EXPECT_THAT(complaint(json), HasSubstr("not the spec of a run"));
  EXPECT_THAT(complaint(nlohmann::json::object()), HasSubstr("benchmark"));
  EXPECT_THAT(complaint(3), HasSubstr("not the spec of a run"));
}

TEST(ResultFromJson, IsTheWayBackForPermutedAndSplitStreams) {
  for (const char* policy : {"reservoir", "gps"}) {
    const RunResult permuted = tiny_run(tiny_spec(policy));
    const RunResult split = tiny_split_run(tiny_split_spec(policy));
    for (const RunResult& result : {permuted, split}) {
      const std::string text = to_json(result).dump(1);
      EXPECT_EQ(to_json(result_from_json(nlohmann::json::parse(text))).dump(1), text);
    }
  }
}

TEST(ResultFromJson, KeepsMetricsWithoutAValueAndProbesThatBroke) {
  RunResult result = tiny_run(tiny_spec("gps"));
  result.metrics.set("forgetting", std::nullopt);
  result.decisions.front().trials.front().outcome.loss = std::numeric_limits<double>::infinity();
  const nlohmann::json json = to_json(result);
  const std::string text = json.dump();
  EXPECT_EQ(to_json(result_from_json(nlohmann::json::parse(text))).dump(), text);
}

// What a version wrote that did not know the metric.
TEST(ResultFromJson, ComputesMetricsThatAreNotThereAgain) {
  const RunResult permuted = tiny_run(tiny_spec("reservoir"));
  const RunResult split = tiny_split_run(tiny_split_spec("reservoir"));
  for (const RunResult& result : {permuted, split}) {
    const nlohmann::json whole = to_json(result);
    for (const Metric& metric : metric_catalog()) {
      nlohmann::json json = whole;
      json.erase("checksum");
      json["metrics"].erase(metric.name);
      if (json.contains("class_incremental"))
        json["class_incremental"]["metrics"].erase(metric.name);
      EXPECT_EQ(to_json(result_from_json(json)), whole) << metric.name;
    }
  }
}

TEST(ResultFromJson, LeavesOutMetricsThatItDoesNotKnow) {
  const nlohmann::json whole = to_json(tiny_run(tiny_spec("reservoir")));
  nlohmann::json json = whole;
  json.erase("checksum");
  json["metrics"]["of_a_later_version"] = 0.5;
  EXPECT_EQ(to_json(result_from_json(json)), whole);
}

TEST(ResultFromJson, RefusesAResultWithoutAnAccuracy) {
  nlohmann::json json = to_json(tiny_run(tiny_spec("reservoir")));
  json.erase("checksum");
  json["metrics"]["average_accuracy"] = nullptr;
  EXPECT_THROW(result_from_json(json), DataError);
}

TEST(ResultFromJson, RefusesOtherSchemasAndHalfAResult) {
  nlohmann::json json = to_json(tiny_run(tiny_spec("reservoir")));
  json.erase("checksum");
  json["schema"] = 2;
  EXPECT_THROW(result_from_json(json), DataError);
  json["schema"] = 1;
  json.erase("steps");
  EXPECT_THROW(result_from_json(json), DataError);
  EXPECT_THROW(result_from_json(nlohmann::json::array()), DataError);
}

}  // namespace from_json_test
}  // namespace gps
