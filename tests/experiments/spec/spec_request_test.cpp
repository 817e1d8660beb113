#include "gps/experiments/spec/spec_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gps/experiments/spec/presets.h"
#include "gps/experiments/spec/repeat_command.h"

namespace gps {
namespace spec_request_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

SpecRequest request(const std::vector<std::string>& policies = {}) {
  SpecRequest asked;
  asked.benchmark = "p-fashion-mnist";
  asked.policies = policies;
  return asked;
}

std::vector<Spec> specs_of(SpecRequest asked, LeftOut* left_out = nullptr) {
  asked.apply(kUsualPreset, left_out);
  return asked.specs(left_out);
}

std::string refusal(const SpecRequest& asked) {
  try {
    specs_of(asked);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "(accepted)";
}

TEST(SpecRequest, WithoutOptionsIsThePresetWithTheLearnersPolicy) {
  const std::vector<Spec> specs = specs_of(request());
  ASSERT_THAT(specs, SizeIs(1));
  Spec expected =
      preset_spec(kUsualPreset, "p-fashion-mnist", "er", default_memory("p-fashion-mnist"));
  set_policy(expected.policy, preset_policy(kUsualPreset, "er"));
  EXPECT_EQ(to_json(specs.front()), to_json(expected));
}

TEST(SpecRequest, MakesOneSpecForEachLearnerAndPolicyInTheirOrder) {
  SpecRequest asked = request({"reservoir", "gps:rotation"});
  asked.learners = {"er", "sgd"};
  std::vector<std::string> labels;
  for (const Spec& spec : specs_of(asked)) labels.push_back(run_label(spec, /*with_learner=*/true));
  // sgd keeps no memory and gets no policy.
  EXPECT_THAT(labels, ElementsAre("er reservoir", "er gps:rotation", "sgd"));
}

TEST(SpecRequest, AppliesOptionsAfterThePreset) {
  SpecRequest asked = request({"gps"});
  asked.given = {{"lr", "0.03"}, {"batch", "20"}, {"memory", "784kB"}};
  const Spec spec = specs_of(asked).front();
  EXPECT_FLOAT_EQ(spec.learner.learning_rate, 0.03f);
  EXPECT_EQ(spec.learner.memory_batch, 20);  // follows the batch unless it is given
  EXPECT_EQ(text_of(spec_option("memory").get(spec)), "784kB");
}

TEST(SpecRequest, IgnoresFlagsThatBelongToNeitherASpecNorOwnImages) {
  SpecRequest asked = request();
  asked.given = {{"out", "results"}};
  EXPECT_THAT(specs_of(asked), SizeIs(1));
}

TEST(SpecRequest, RefusesWhatDoesNotExistOrHasNoEffect) {
  SpecRequest unknown = request();
  unknown.benchmark = "p-fasion";
  EXPECT_THAT(refusal(unknown), HasSubstr("or the path of your own images"));
  EXPECT_THAT(refusal(request({"gsp"})), HasSubstr("unknown policy 'gsp'"));
  EXPECT_THAT(refusal(request({"gps", "gps"})), HasSubstr("twice"));
  SpecRequest useless = request({"gps"});
  useless.given = {{"ring", "0.5"}};
  EXPECT_THAT(refusal(useless), HasSubstr("`ring` works only with policy mixed"));
  SpecRequest own = request();
  own.given = {{"image-size", "8"}};
  EXPECT_THAT(refusal(own), HasSubstr("works only with your own images"));
}

TEST(SpecRequest, LeavesOutWhatHasNoEffectIfTheCallerWantsThat) {
  SpecRequest asked = request({"gps"});
  asked.given = {{"ring", "0.5"}};
  LeftOut left_out;
  const std::vector<Spec> specs = specs_of(asked, &left_out);
  EXPECT_THAT(specs, SizeIs(1));
  ASSERT_THAT(left_out.irrelevant, SizeIs(1));
  EXPECT_EQ(left_out.irrelevant.front().flag(), "ring");
}

TEST(RepeatCommand, HasOnlyWhatDiffersFromTheDefaults) {
  SpecRequest asked = request({"gps"});
  asked.given = {{"lr", "0.03"}, {"tasks", "3"}};
  const Spec spec = specs_of(asked).front();
  EXPECT_EQ(command_for(arguments_for(spec), 2),
            "gpscl run p-fashion-mnist --policy gps --tasks 3 --lr 0.03 --seed 2");
}

TEST(SpecRequest, TakesTheCodecAutoForAPlanOfTheCodec) {
  SpecRequest asked = request({"mixed:1"});
  asked.given = {{"memory", "784kB"}, {"codec", "auto"}};
  SpecRequest same = request({"mixed:1"});
  same.given = {{"memory", "784kB"}, {"plan", "codec"}};
  EXPECT_EQ(to_json(specs_of(asked).front()), to_json(specs_of(same).front()));

  asked.given["plan"] = "lr";
  EXPECT_EQ(specs_of(asked).front().planning.knobs, "lr,codec");
  asked.given["plan"] = "all";
  EXPECT_EQ(specs_of(asked).front().planning.knobs, "all");
}

TEST(SpecRequest, RefusesTheCodecAutoForANumberOfExamples) {
  SpecRequest asked = request({"mixed:1"});
  asked.given = {{"memory", "100"}, {"codec", "auto"}};
  EXPECT_EQ(refusal(asked), "`codec` auto needs `memory` in bytes, such as 784kB");
}

}  // namespace spec_request_test
}  // namespace gps
