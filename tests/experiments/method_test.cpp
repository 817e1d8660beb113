// A method without a stream: what a deployed classifier has.
#include "gps/experiments/method.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "gps/experiments/method_options.h"
#include "gps/experiments/spec/presets.h"
#include "gps/experiments/spec/spec.h"

namespace gps {
namespace method_test {

using ::testing::HasSubstr;

constexpr int kUnknown = 0;

std::string refusal_of(const Method& method, const Outlook& outlook) {
  try {
    validate(method, outlook);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "(fine)";
}

TEST(Method, IsWrittenAndReadWithoutAStream) {
  const Outlook outlook{.stream = "a shop", .tasks = kUnknown, .is_split = true};
  for (const PolicyEntry& policy : policy_catalog()) {
    Method method = paper_method("der++", "mlp");
    method.policy.name = policy.name;
    method.learner.settings["alpha"] = 0.25;
    const nlohmann::json json = to_json(method, outlook);
    EXPECT_EQ(to_json(method_from_json(json, outlook), outlook), json);
    EXPECT_EQ(json.at("alpha"), 0.25);
    for (const Option& row : benchmark_options().rows()) EXPECT_FALSE(json.contains(row.key));
    nlohmann::json other = json;
    other["tasks"] = 5;
    EXPECT_THROW(method_from_json(other, outlook), DataError) << "a method has no tasks";
  }
}

TEST(Method, TakesTheEpochsOfPseudoTasksFromTheOutlook) {
  Method method;
  method.policy.name = "gps";
  EXPECT_EQ(to_json(method, {.pseudo_epochs = 7}).at("simulation_epochs"), 7);
  EXPECT_EQ(outlook_of({.name = "s-cifar-10", .tasks = 5}).pseudo_epochs, 5);
  EXPECT_EQ(outlook_of({.name = "s-mnist", .tasks = 5}).pseudo_epochs, 1);
}

TEST(Method, IsRefusedWithTheNameOfItsStream) {
  Method method;
  method.learner.name = "icarl";
  EXPECT_THAT(refusal_of(method, {.stream = "photos/"}), HasSubstr("all tasks of photos/ have"));
  EXPECT_EQ(refusal_of(method, {.is_split = true}), "(fine)");
}

TEST(Method, TakesOneRingRatioIfTheNumberOfTasksIsNotKnown) {
  Method method;
  set_policy(method.policy, "mixed:0.3/0.5");
  EXPECT_EQ(refusal_of(method, {.tasks = kUnknown}),
            "`ring` must have one ratio, because the number of tasks is not known, got 2");
  EXPECT_EQ(refusal_of(method, {.tasks = 2}), "(fine)");
}

TEST(MethodOptions, SayWhichValueIsUsedWhereNoneWasGiven) {
  const auto effective = [](const std::string& flag, const Method& method) {
    return text_of(find_by_flag(method_options(), flag)->effective(method));
  };
  Method method;
  method.network.model = "resnet18";
  EXPECT_EQ(effective("width", method), "64");
  EXPECT_EQ(effective("backend", method), "libtorch");
  method.network.precision = Precision::bf16;
  EXPECT_EQ(effective("backend", method), "own");
}

TEST(PaperMethod, HasTheValuesOfPMnistButForTheLogitsOfLargeNetworks) {
  const Method mlp = paper_method("der", "mlp");
  const Spec p_mnist = preset_spec("paper", "p-mnist", "der", mlp.memory);
  EXPECT_EQ(mlp.learner, p_mnist.learner);
  EXPECT_EQ(mlp.policy, p_mnist.policy);
  EXPECT_EQ(mlp.training.epochs, p_mnist.training.epochs);
  EXPECT_EQ(mlp.training.batch, p_mnist.training.batch);
  EXPECT_EQ(*paper_method("der", "convnet").learner.settings.find("alpha"), OptionValue(0.3));
  EXPECT_EQ(paper_method("der", "convnet").training.epochs, 5);
  EXPECT_THROW(paper_method("none", "mlp"), UsageError);
}

}  // namespace method_test
}  // namespace gps
