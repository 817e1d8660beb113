#include "gps/experiments/spec/spec.h"

#include <gmock/gmock.h>

#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "gps/experiments/result.h"
#include "gps/experiments/spec/presets.h"
#include "support/temporary_folder.h"

namespace gps {
namespace spec_test {

using Edit = std::function<void(Spec&)>;

Spec with_policy(const std::string& text) {
  Spec spec;
  set_policy(spec.policy, text);
  return spec;
}

TEST(SpecJson, DefaultsAreThePapers) {
  const nlohmann::json json = to_json(with_policy("gps"));
  const nlohmann::json expected = {
      {"benchmark", "p-mnist"},
      {"tasks", 10},
      {"examples_per_task", 0},
      {"imbalance", 1.0},
      {"learner", "er"},
      {"learning_rate", 0.1},
      {"epochs", 5},
      {"batch", 10},
      {"hidden", {100, 100}},
      {"initialisation", "xavier"},
      {"policy", "gps"},
      {"memory", 1000},
      {"memory_batch", 10},
      {"lambda", 1.0},
      {"er_loss", "sum"},
      {"in_task", "strict"},
      {"future", "permutation"},
      {"simulation_epochs", 1},
      {"simulation_examples", 1000},
      {"window", 0},
      {"knows_length", true},
      {"objective", "accuracy"},
      {"score", "natural"},
      {"score_examples", 2000},
      {"stride", 0},
      {"smallest_stride", 0},
      {"largest_stride", 0},
      {"reuse", 0.25},
  };
  EXPECT_EQ(json, expected) << json.dump(1);
}

TEST(SpecJson, EasyFractionsAreThePapers) {
  EXPECT_EQ(to_json(with_policy("cur-res"))["easy_fraction"], 0.2);
  EXPECT_EQ(to_json(with_policy("cur-ring-full"))["easy_fraction"], 0.1);
  EXPECT_EQ(to_json(with_policy("gps:cur"))["easy_fraction"], 0.2);
  EXPECT_EQ(to_json(with_policy("mixed:cur"))["easy_fraction"], 0.2);
  EXPECT_FALSE(to_json(with_policy("gps")).contains("easy_fraction"));
  EXPECT_EQ(simulation_options(with_policy("gps:cur")).base.easy.easy_fraction, 0.2);
}

TEST(SpecJson, EqualSpecsGiveEqualText) {
  for (const std::string& policy : names(policy_catalog())) {
    EXPECT_EQ(to_json(with_policy(policy)).dump(), to_json(with_policy(policy)).dump());
  }
  EXPECT_EQ(to_json(with_policy("gps")).dump(), to_json(with_policy("gps:permutation")).dump());
  EXPECT_EQ(to_json(with_policy("mixed")).dump(), to_json(with_policy("mixed:0.5")).dump());
}

// For each policy, every option that its results depend on.
std::map<std::string, std::vector<Edit>> edits_that_matter() {
  const std::vector<Edit> always = {
      [](Spec& s) { s.benchmark.name = "p-fashion-mnist"; },
      [](Spec& s) { s.benchmark.tasks = 9; },
      [](Spec& s) { s.benchmark.examples_per_task = 500; },
      [](Spec& s) { s.benchmark.imbalance = 10; },
      [](Spec& s) { s.benchmark.class_order = "random"; },
      [](Spec& s) { s.benchmark.class_order = "1,0,2,3,4,5,6,7,8,9"; },
      [](Spec& s) { s.learner.learning_rate = 0.05f; },
      [](Spec& s) { s.learner.learning_rate = 1e-10f; },
      [](Spec& s) { s.learner.learning_rate = 2e-10f; },
      [](Spec& s) { s.learner.memory_batch = 20; },
      [](Spec& s) { s.learner.settings["lambda"] = 0.5; },
      [](Spec& s) { s.learner.settings["er_loss"] = "concat"; },
      [](Spec& s) { s.training.epochs = 4; },
      [](Spec& s) { s.training.batch = 11; },
      [](Spec& s) { s.network.hidden = {100}; },
      [](Spec& s) { s.network.initialisation = "pytorch"; },
      [](Spec& s) { s.memory = 999; },
  };
  std::map<std::string, std::vector<Edit>> all;
  for (const std::string& policy : names(policy_catalog())) all[policy] = always;
  all["ring-full"].emplace_back([](Spec& s) { s.policy.settings["ring_quota"] = "floor"; });
  all["mixed"].emplace_back([](Spec& s) { s.policy.settings["ring"] = std::vector<double>{0.25}; });
  for (const char* rebuilding : {"mixed", "gps"}) {
    all[rebuilding].emplace_back([](Spec& s) { s.policy.settings["in_task"] = "running"; });
    all[rebuilding].emplace_back([](Spec& s) { s.policy.settings["base"] = "curriculum"; });
    all[rebuilding].emplace_back([](Spec& s) {
      s.policy.settings["base"] = "curriculum";
      s.policy.settings["easy_fraction"] = 0.3;
    });
  }
  for (const char* curriculum : {"cur-res", "cur-ring-full"})
    all[curriculum].emplace_back([](Spec& s) { s.policy.settings["easy_fraction"] = 0.3; });
  all["gradient"].emplace_back([](Spec& s) { s.policy.settings["gss_variant"] = "greedy"; });
  all["gradient"].emplace_back([](Spec& s) { s.policy.settings["gss_batch"] = 32; });
  for (const Edit& edit : std::vector<Edit>{
           [](Spec& s) { s.policy.settings["future"] = "offline"; },
           [](Spec& s) { s.policy.settings["simulation_epochs"] = 2; },
           [](Spec& s) { s.policy.settings["simulation_examples"] = 77; },
           [](Spec& s) { s.policy.settings["window"] = 3; },
           [](Spec& s) { s.policy.settings["knows_length"] = false; },
           [](Spec& s) { s.policy.settings["objective"] = "loss"; },
           [](Spec& s) { s.policy.settings["score"] = "balanced"; },
           [](Spec& s) { s.policy.settings["score_examples"] = 100; },
           [](Spec& s) { s.policy.settings["stride"] = 50; },
           [](Spec& s) { s.policy.settings["smallest_stride"] = 5; },
           [](Spec& s) { s.policy.settings["largest_stride"] = 500; },
       }) {
    all["gps"].push_back(edit);
  }
  return all;
}

TEST(SpecJson, EveryOptionThatMattersChangesTheTextAndTheFileName) {
  for (const auto& [policy, edits] : edits_that_matter()) {
    std::map<std::string, std::size_t> texts = {{to_json(with_policy(policy)).dump(), 0}};
    std::map<std::string, std::size_t> files = {{file_name(with_policy(policy), 0), 0}};
    for (std::size_t k = 0; k < edits.size(); ++k) {
      Spec spec = with_policy(policy);
      edits[k](spec);
      const auto [text, is_new_text] = texts.emplace(to_json(spec).dump(), k + 1);
      EXPECT_TRUE(is_new_text) << policy << ": edits " << k + 1 << " and " << text->second;
      const auto [file, is_new_file] = files.emplace(file_name(spec, 0), k + 1);
      EXPECT_TRUE(is_new_file) << policy << ": edits " << k + 1 << " and " << file->second;
    }
  }
}

// For each learner, every option of its own that its results depend on.
const std::map<std::string, std::vector<Edit>>& learner_edits() {
  static const std::map<std::string, std::vector<Edit>> all = {
      {"hal",
       {[](Spec& s) { s.learner.settings["hal_lambda"] = 0.2; },
        [](Spec& s) { s.learner.settings["hal_beta"] = 0.3; },
        [](Spec& s) { s.learner.settings["hal_gamma"] = 0.2; },
        [](Spec& s) { s.learner.settings["anchor_steps"] = 10; },
        [](Spec& s) { s.learner.settings["hal_variant"] = "mammoth"; }}},
      {"oewc",
       {[](Spec& s) { s.learner.settings["ewc_lambda"] = 10.0; },
        [](Spec& s) { s.learner.settings["ewc_gamma"] = 0.9; },
        [](Spec& s) { s.learner.settings["fisher"] = "exact"; },
        [](Spec& s) { s.learner.settings["fisher"] = "mammoth"; }}},
      {"icarl", {[](Spec& s) { s.learner.settings["weight_decay"] = 1e-5; }}},
      {"gdumb", {[](Spec& s) { s.learner.settings["gdumb_epochs"] = 7; }}},
  };
  return all;
}

Spec with_learner(const std::string& name) {
  Spec spec;
  spec.learner.name = name;
  if (!replays(name)) spec.policy.name = "none";
  return spec;
}

TEST(SpecJson, OptionsOfALearnerChangeItsTextAndNoOthers) {
  for (const auto& [owner, edits] : learner_edits()) {
    for (const std::string& name : names(learner_catalog())) {
      std::map<std::string, std::size_t> texts = {{to_json(with_learner(name)).dump(), 0}};
      for (std::size_t k = 0; k < edits.size(); ++k) {
        Spec spec = with_learner(name);
        edits[k](spec);
        const bool is_new = texts.emplace(to_json(spec).dump(), k + 1).second;
        EXPECT_EQ(is_new, name == owner) << name << ", edit " << k + 1 << " of " << owner;
      }
    }
  }
}

TEST(SpecJson, IcarlHasNoWeightBetweenBatchAndMemory) {
  const nlohmann::json json = to_json(with_learner("icarl"));
  EXPECT_FALSE(json.contains("lambda"));
  EXPECT_FALSE(json.contains("er_loss"));
  EXPECT_EQ(json["memory_batch"], 10);
}

TEST(SpecJson, OptionsThatThePolicyDoesNotLookAtLeaveTheTextAlone) {
  Spec other = with_policy("reservoir");
  other.policy.settings["ring"] = std::vector<double>{0.1};
  other.policy.settings["ring_quota"] = "floor";
  other.policy.settings["in_task"] = "running";
  other.policy.settings["base"] = "curriculum";
  other.policy.settings["easy_fraction"] = 0.3;
  other.policy.settings["gss_variant"] = "greedy";
  other.policy.settings["gss_batch"] = 3;
  other.policy.settings["future"] = "rotation";
  other.policy.settings["stride"] = 7;
  EXPECT_EQ(to_json(other).dump(), to_json(with_policy("reservoir")).dump());

  Spec random = with_policy("gps");
  random.policy.settings["easy_fraction"] = 0.3;
  EXPECT_EQ(to_json(random).dump(), to_json(with_policy("gps")).dump());

  Spec sgd;
  sgd.learner.name = "sgd";
  sgd.policy.name = "none";
  Spec with_memory = sgd;
  with_memory.memory = 5;
  with_memory.learner.settings["lambda"] = 3.0;
  EXPECT_EQ(to_json(with_memory).dump(), to_json(sgd).dump());
}

// What the text says of a network.
nlohmann::json json_of(const NetworkOptions& network) {
  Spec spec;
  spec.network = network;
  const nlohmann::json all = to_json(spec);
  nlohmann::json some;
  for (const char* key :
       {"model", "model_fingerprint", "hidden", "initialisation", "width", "device", "precision",
        "backend", "operator_threads", "weights", "weights_fingerprint"}) {
    if (all.contains(key)) some[key] = all[key];
  }
  return some;
}

TEST(SpecJson, SaysOfAnMlpWhatItAlwaysSaid) {
  EXPECT_EQ(json_of({}), (nlohmann::json{{"hidden", {100, 100}}, {"initialisation", "xavier"}}));
}

TEST(SpecJson, SaysOfOtherNetworksWhatIsNotTheDefault) {
  NetworkOptions network;
  network.model = "resnet18";
  EXPECT_EQ(json_of(network), (nlohmann::json{{"model", "resnet18"}}));
  network.width = 20;
  network.precision = Precision::bf16;
  network.operator_threads = 2;
  EXPECT_EQ(
      json_of(network),
      (nlohmann::json{
          {"model", "resnet18"}, {"width", 20}, {"precision", "bf16"}, {"operator_threads", 2}}));
}

TEST(SpecJson, NamesTheBackendWhereItIsNotTheOneByDefault) {
  NetworkOptions network;
  network.model = "resnet18";
  network.precision = Precision::bf16;
  network.backend = "own";
  EXPECT_FALSE(json_of(network).contains("backend"));
  network.backend = "libtorch";
  EXPECT_EQ(json_of(network).at("backend"), "libtorch");
}

TEST(SpecJson, TellsFilesOfOneNameApart) {
  const testing::TemporaryFolder folder;
  NetworkOptions network;
  network.model = (folder.path() / "own.pt").string();
  std::ofstream(network.model) << "a";
  const auto first = json_of(identified(network));
  EXPECT_EQ(first.at("model_fingerprint"), "1-af63dc4c8601ec8c");  // FNV-1a of "a"
  std::ofstream(network.model) << "b";
  EXPECT_NE(json_of(identified(network)), first);
}

TEST(SpecJson, NamesTheWeightsThatItStartsFrom) {
  const testing::TemporaryFolder folder;
  NetworkOptions network;
  network.weights = (folder.path() / "first.safetensors").string();
  std::ofstream(network.weights) << "a";
  const auto json = json_of(identified(network));
  EXPECT_EQ(json.at("weights"), network.weights);
  EXPECT_EQ(json.at("weights_fingerprint"), "1-af63dc4c8601ec8c");
}

TEST(SpecJson, NamesTheBackbone) {
  const testing::TemporaryFolder folder;
  Spec spec;
  spec.benchmark.name = "s-cifar-10";
  spec.network.backbone = (folder.path() / "features.pt").string();
  std::ofstream(spec.network.backbone) << "a";
  spec.network = identified(spec.network);
  const nlohmann::json json = to_json(spec);
  EXPECT_EQ(json.at("backbone"), spec.network.backbone);
  EXPECT_EQ(json.at("backbone_fingerprint"), "1-af63dc4c8601ec8c");
  EXPECT_FALSE(json.contains("backbone_input")) << "it is as usual";
  EXPECT_FALSE(json.contains("augment")) << "features are computed once";
  EXPECT_EQ(to_json(spec_from_json(json)), json);
}

// Returns the message with which the spec is refused.
std::string refused_with_backbone(const std::function<void(Spec&)>& change) {
  Spec spec = preset_spec("paper", "s-cifar-10", "er", 200);
  set_policy(spec.policy, "reservoir");
  spec.network.backbone = "features.pt";
  set_for_backbone(spec, "paper");
  validate(spec);
  change(spec);
  try {
    validate(spec);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Backbone, RefusesWhatNeedsPixels) {
  using ::testing::HasSubstr;
  EXPECT_THAT(refused_with_backbone([](Spec& spec) { spec.codec = "bits:1"; }),
              HasSubstr("`codec` must be raw with `backbone`"));
  for (const char* policy : {"gps:rotation", "gps:blurring"}) {
    EXPECT_THAT(refused_with_backbone([&](Spec& spec) { set_policy(spec.policy, policy); }),
                HasSubstr("`future` must be permutation or offline with `backbone`"));
  }
  EXPECT_EQ(refused_with_backbone([](Spec& spec) { set_policy(spec.policy, "gps"); }), "");
  EXPECT_THAT(refused_with_backbone([](Spec& spec) { spec.learner.name = "hal"; }),
              HasSubstr("`backbone` cannot be used with learner 'hal'"));
  EXPECT_THAT(refused_with_backbone([](Spec& spec) { spec.benchmark = {.name = "p-mnist"}; }),
              HasSubstr("the tasks of p-mnist permute the pixels"));
  EXPECT_THAT(refused_with_backbone([](Spec& spec) { spec.network.model = "resnet18"; }),
              HasSubstr("`backbone` works only with model mlp"));
  EXPECT_THAT(refused_with_backbone([](Spec& spec) {
                spec.network.backbone.clear();
                spec.network.backbone_input = "imagenet";
              }),
              HasSubstr("`backbone-input` has no effect without `backbone`"));
}

TEST(RunNames, AreThoseOfTheSpec) {
  Spec spec;
  spec.learner.name = "der";
  set_policy(spec.policy, "gps:rotation");
  const RunNames names = run_names(spec);
  EXPECT_EQ(names.learner, "der");
  EXPECT_EQ(names.policy, "gps");
  EXPECT_EQ(names.label, "gps:rotation");
}

TEST(RunNames, CallAPlanWhatIsPlannedAndNotWhatWasGiven) {
  struct Case {
    std::string knobs, learner, policy, label, with_learner;
  };
  const std::vector<Case> cases = {
      {"all", "plan", "plan", "plan", "plan"},
      {"learner,lr,length,weights,memory-batch,policy,codec", "plan", "plan", "plan", "plan"},
      {"lr,length", "er", "reservoir", "plan:lr+length reservoir", "plan:lr+length er reservoir"},
      {"length,lr", "er", "reservoir", "plan:lr+length reservoir", "plan:lr+length er reservoir"},
      {"policy", "er", "plan", "plan:policy", "plan:policy er"},
      {"learner", "plan", "reservoir", "plan:learner reservoir", "plan:learner reservoir"},
      {"learner,policy", "plan", "plan", "plan:learner+policy", "plan:learner+policy"},
  };
  for (const Case& each : cases) {
    Spec spec;
    spec.planning.knobs = each.knobs;
    const RunNames names = run_names(spec);
    EXPECT_EQ(names.learner, each.learner) << each.knobs;
    EXPECT_EQ(names.policy, each.policy) << each.knobs;
    EXPECT_EQ(names.label, each.label) << each.knobs;
    EXPECT_EQ(run_label(spec, /*with_learner=*/true), each.with_learner) << each.knobs;
  }
}

TEST(IsPlanned, KnowsTheNamesOfKnobs) {
  Spec spec;
  EXPECT_FALSE(is_planned(spec, "lr"));
  spec.planning.knobs = "lr,memory-batch";
  EXPECT_TRUE(is_planned(spec, "lr"));
  EXPECT_TRUE(is_planned(spec, "memory-batch"));
  EXPECT_FALSE(is_planned(spec, "memory"));
  EXPECT_FALSE(is_planned(spec, "learner"));
  spec.planning.knobs = "all";
  EXPECT_TRUE(is_planned(spec, "learner"));
}

TEST(SimulationOptions, PseudoTasksAreAsLargeAsTheMemoryAndPassedOverOnce) {
  Spec spec = with_policy("gps");
  spec.memory = 300;
  EXPECT_EQ(simulation_options(spec).examples, 300u);
  EXPECT_EQ(simulation_options(spec).training.epochs, 1);
  EXPECT_EQ(simulation_options(spec).training.batch, spec.training.batch);
}

TEST(SimulationOptions, TheOracleTrainsTheRealFutureAtFullSize) {
  Spec spec = with_policy("gps:offline");
  spec.training.epochs = 4;
  EXPECT_EQ(simulation_options(spec).examples, 0u);
  EXPECT_EQ(simulation_options(spec).training.epochs, 4);
}

TEST(SimulationOptions, WhatTheUserChoseWinsOverWhatTheFutureSuggests) {
  Spec spec = with_policy("gps:offline");
  spec.policy.settings["simulation_epochs"] = 2;
  spec.policy.settings["simulation_examples"] = 50;
  EXPECT_EQ(simulation_options(spec).examples, 50u);
  EXPECT_EQ(simulation_options(spec).training.epochs, 2);
}

}  // namespace spec_test
}  // namespace gps
