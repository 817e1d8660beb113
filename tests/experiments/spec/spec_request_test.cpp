#include "gps/experiments/spec/spec_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "gps/core/simd_target.h"
#include "gps/experiments/spec/fit_to_data.h"
#include "gps/experiments/spec/presets.h"
#include "gps/experiments/spec/repeat_command.h"
#include "support/temporary_folder.h"

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

std::vector<Spec> specs_of(SpecRequest& asked, LeftOut* left_out = nullptr) {
  asked.apply(kUsualPreset, left_out);
  return asked.specs(left_out);
}

std::vector<Spec> specs_of(SpecRequest&& asked) { return specs_of(asked); }

std::string refusal(SpecRequest asked) {
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

// A request for a folder of the user's own images, of which nobody needs to look at the files.
SpecRequest request_for_own(ImageShape shape, std::size_t images) {
  SpecRequest asked = request();
  asked.benchmark = "no/such/photos/";
  asked.look = [=](const std::string&, const OwnStreamOptions&) {
    OwnStream own;
    own.fingerprint = "1";
    own.images = images;
    own.classes = 4;
    own.classes_of_tasks = {2, 2};
    own.shape = shape;
    own.test_fraction = 0.2;
    return own;
  };
  return asked;
}

TEST(SpecRequest, FitsTheUsersOwnImages) {
  SpecRequest grey = request_for_own({1, 28, 28}, 2000);
  const Spec small = specs_of(grey).front();
  EXPECT_EQ(small.network.model, "mlp");
  EXPECT_EQ(small.memory, 500);
  EXPECT_THAT(grey.chosen, HasSubstr("model mlp because the images are small and grey"));
  EXPECT_THAT(grey.chosen, HasSubstr("a task has about 800 images"));
  SpecRequest few = request_for_own({1, 28, 28}, 200);
  EXPECT_EQ(specs_of(few).front().network.model, has_libtorch() ? "convnet" : "mlp");
  SpecRequest photographs = request_for_own({3, 32, 32}, 200);
  const Spec colour = specs_of(photographs).front();
  EXPECT_EQ(colour.network.model, has_libtorch() ? "convnet" : "mlp");
  EXPECT_LT(colour.learner.learning_rate, 0.1f);
  SpecRequest many = request_for_own({3, 32, 32}, 20'000);
  EXPECT_LT(specs_of(many).front().training.epochs, colour.training.epochs);
  EXPECT_EQ(specs_of(many).front().training.steps, 0) << "passes over large tasks";
}

TEST(SpecRequest, LetsGivenOptionsWinOverWhatFitsTheImages) {
  SpecRequest asked = request_for_own({3, 32, 32}, 200);
  asked.given = {{"model", "mlp"}, {"lr", "0.25"}, {"epochs", "7"}, {"memory", "30"}};
  const Spec spec = specs_of(asked).front();
  EXPECT_EQ(spec.network.model, "mlp");
  EXPECT_FLOAT_EQ(spec.learner.learning_rate, 0.25f);
  EXPECT_EQ(spec.training.epochs, 7);
  EXPECT_EQ(spec.memory, 30);
  EXPECT_EQ(asked.chosen, "") << "nothing was left to choose";
}

TEST(SpecRequest, TrainsUnequalTasksEquallyLongUnlessEpochsAreGiven) {
  SpecRequest asked = request_for_own({1, 28, 28}, 2000);
  const Spec chosen = specs_of(asked).front();
  EXPECT_EQ(chosen.training.steps, 800);
  EXPECT_THAT(asked.chosen, HasSubstr("800 steps of each task because a task has about 800"));
  asked.given = {{"epochs", "7"}};
  EXPECT_EQ(specs_of(asked).front().training.steps, 0);
  asked.given = {{"epochs", "7"}, {"steps", "9"}};
  EXPECT_EQ(specs_of(asked).front().training.steps, 9);
}

TEST(SpecRequest, TakesTheLearningRateOfANetworkThatThePaperDoesNotUse) {
  SpecRequest asked = request();
  asked.benchmark = "s-cifar-10";
  const Spec paper = specs_of(asked).front();
  EXPECT_FLOAT_EQ(paper.learner.learning_rate, 0.1f);
  asked.given = {{"model", "mlp"}};
  const Spec other = specs_of(asked).front();
  EXPECT_LE(other.learner.learning_rate, 0.03f);
  EXPECT_EQ(other.training.epochs, paper.training.epochs);
  asked.given = {{"model", "mlp"}, {"lr", "0.1"}};
  EXPECT_FLOAT_EQ(specs_of(asked).front().learner.learning_rate, 0.1f);
}

TEST(RepeatCommand, SaysWhatDependsOnTheDataEvenIfItIsUsual) {
  SpecRequest asked = request_for_own({1, 28, 28}, 2000);
  const Spec spec = specs_of(asked).front();
  const std::string command = command_for(arguments_for(spec), 0);
  for (const char* said : {"--model mlp", "--lr ", "--epochs ", "--memory 500"})
    EXPECT_THAT(command, HasSubstr(said));
  SpecRequest cifar = request();
  cifar.benchmark = "s-cifar-10";
  cifar.given = {{"model", "mlp"}};
  EXPECT_THAT(command_for(arguments_for(specs_of(cifar).front()), 0), HasSubstr("--lr "));
}

TEST(SpecRequest, ChoosesTheFastestBackendUnlessOneIsGiven) {
  SpecRequest asked = request();
  asked.benchmark = "s-cifar-10";
  for (const char* precision : {"fp32", "bf16"}) {
    asked.given = {{"precision", precision}};
    NetworkOptions network = specs_of(asked).front().network;
    EXPECT_EQ(network.backend, fastest_backend(network, simd_target()));
    for (const char* given : {"own", "libtorch"}) {
      asked.given["backend"] = given;
      network = specs_of(asked).front().network;
      EXPECT_EQ(network.backend, given);
      EXPECT_EQ(is_fused_resnet18(network), network.backend == "own");
    }
  }
  asked.given = {{"operator-threads", "2"}};
  EXPECT_EQ(specs_of(asked).front().network.backend, "libtorch");
  EXPECT_EQ(specs_of(request()).front().network.backend, "");  // an mlp has none
}

// The default of a run that was stored on another CPU may not be the one of this CPU.
TEST(RepeatCommand, NamesTheBackendOfAResNet18) {
  SpecRequest asked = request();
  asked.benchmark = "s-cifar-10";
  Spec spec = specs_of(asked).front();
  for (const char* backend : {"", "libtorch"}) {  // empty: as an older gpscl stored it
    spec.network.backend = backend;
    EXPECT_THAT(command_for(arguments_for(spec), 0), HasSubstr("--backend libtorch"));
  }
  spec.network.backend = "own";
  EXPECT_THAT(command_for(arguments_for(spec), 0), HasSubstr("--backend own"));
}

TEST(RepeatCommand, HasOnlyWhatDiffersFromTheDefaults) {
  SpecRequest asked = request({"gps"});
  asked.given = {{"lr", "0.03"}, {"tasks", "3"}};
  const Spec spec = specs_of(asked).front();
  EXPECT_EQ(command_for(arguments_for(spec), 2),
            "gpscl run p-fashion-mnist --policy gps --tasks 3 --lr 0.03 --seed 2");
}

TEST(SpecRequest, LearnsTheFeaturesOfABackboneWithTheMlp) {
  const testing::TemporaryFolder folder;
  const std::string file = (folder.path() / "features.pt").string();
  std::ofstream(file) << "a";
  SpecRequest asked = request({"reservoir"});
  asked.benchmark = "s-cifar-10";
  asked.given = {{"backbone", file}, {"epochs", "50"}};
  const Spec spec = specs_of(asked).front();
  EXPECT_EQ(spec.network.model, "mlp");
  EXPECT_EQ(command_for(arguments_for(spec), 0),
            fmt::format(
                "gpscl run s-cifar-10 --policy reservoir --epochs 50 --backbone {} --seed 0", file))
      << "50 epochs are usual without a backbone, but not with one";
  asked.given.erase("epochs");
  EXPECT_EQ(command_for(arguments_for(specs_of(asked).front()), 0),
            fmt::format("gpscl run s-cifar-10 --policy reservoir --backbone {} --seed 0", file));
  asked.given["no-augment"] = "true";
  EXPECT_THAT(refusal(asked), HasSubstr("has no effect for features"));
}

TEST(SpecRequest, SaysThatAnOptionOfAPlanNeedsAPlan) {
  for (const char* flag : {"plan-budget", "plan-tasks", "for"}) {
    for (const char* benchmark : {"p-fashion-mnist", "s-fashion-mnist"}) {
      SpecRequest asked = request();
      asked.benchmark = benchmark;
      asked.given = {{flag, std::string(flag) == "for" ? "task" : "3"}};
      EXPECT_EQ(refusal(asked), fmt::format("`{}` has no effect for a run without `plan`", flag));
    }
  }
}

TEST(SpecRequest, SaysOfEveryLearnerWhyAnOptionHasNoEffect) {
  SpecRequest asked = request();
  asked.learners = {"sgd", "joint"};
  asked.given = {{"memory-batch", "5"}};
  EXPECT_EQ(refusal(asked),
            "`memory-batch` has no effect for learner 'sgd', which keeps no memory, and for "
            "learner 'joint', which keeps no memory");
}

TEST(SpecRequest, SaysWhichStreamHasNoUseForAnOptionOfAPlan) {
  SpecRequest asked = request();
  asked.given = {{"plan", "all"}, {"for", "class"}};
  EXPECT_EQ(refusal(asked),
            "`for` has no effect for p-fashion-mnist, whose tasks have the same classes");
  asked.benchmark = "s-fashion-mnist";
  asked.given = {{"plan", "all"}, {"plan-tasks", "3"}};
  EXPECT_EQ(refusal(asked),
            "`plan-tasks` has no effect for s-fashion-mnist, which is planned task by task");
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
