#include "gps/experiments/spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "gps/experiments/result.h"

namespace gps {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Edit = std::function<void(Spec&)>;

Spec with_policy(const std::string& text) {
  Spec spec;
  set_policy(spec, text);
  return spec;
}

// What set_policy() says to a text that it refuses.
std::string refusal_of(const std::string& text) {
  try {
    with_policy(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "(accepted)";
}

TEST(SetPolicy, TakesEveryNameOfTheCatalogAndLeavesTheVariantsAlone) {
  for (const std::string& name : names(policy_catalog())) {
    const Spec spec = with_policy(name);
    EXPECT_EQ(spec.policy, name);
    EXPECT_EQ(spec.ring, Spec().ring);
    EXPECT_EQ(spec.future, Spec().future);
    EXPECT_EQ(spec.ring_quota, Spec().ring_quota);
  }
}

TEST(SetPolicy, TakesTheVariantAfterTheColon) {
  EXPECT_EQ(with_policy("mixed:0.25").ring, std::vector<double>{0.25});
  EXPECT_EQ(with_policy("gps:rotation").future, "rotation");
  EXPECT_EQ(with_policy("ring-full:floor").ring_quota, RingQuota::floor);
  EXPECT_EQ(with_policy("ring-full:deal").ring_quota, RingQuota::deal);
  EXPECT_EQ(with_policy("gradient:greedy").gss_variant, GssVariant::greedy);
}

TEST(SetPolicy, TakesTheCurriculumPairAfterOtherVariantsOrAlone) {
  for (const std::string text : {"mixed:cur", "mixed:0.25/cur", "gps:cur", "gps:rotation/cur",
                                 "gps:rotation/balanced/cur", "gps:cur/rotation"}) {
    EXPECT_EQ(with_policy(text).base, Base::curriculum) << text;
  }
  EXPECT_EQ(with_policy("mixed:cur").ring, Spec().ring);
  EXPECT_EQ(with_policy("mixed:0.25/cur").ring, std::vector<double>{0.25});
  EXPECT_EQ(with_policy("gps:cur").future, Spec().future);
  EXPECT_EQ(with_policy("gps:rotation/cur").future, "rotation");
  EXPECT_EQ(with_policy("gps:rotation").base, Base::random);
}

TEST(SetPolicy, RefusesUnknownNamesAndListsTheKnownOnes) {
  EXPECT_THAT(refusal_of("resevoir"),
              AllOf(HasSubstr("policy 'resevoir'"), HasSubstr(join(names(policy_catalog())))));
  EXPECT_THAT(refusal_of("gps:crystal-ball"),
              AllOf(HasSubstr("future 'crystal-ball'"), HasSubstr(join(names(future_catalog())))));
  EXPECT_THAT(refusal_of("ring-full:ceil"), AllOf(HasSubstr("'ceil'"), HasSubstr("deal, floor")));
  EXPECT_THAT(refusal_of("gradient:iqp"), AllOf(HasSubstr("'iqp'"), HasSubstr("mammoth, greedy")));
}

TEST(SetPolicy, RefusesARatioThatIsNoNumber) {
  for (const std::string ratio : {"half", "0.5x", "", "0,5", "curr"}) {
    EXPECT_THAT(refusal_of("mixed:" + ratio), AllOf(HasSubstr("--ring"), HasSubstr("'" + ratio)));
  }
}

TEST(SetPolicy, RefusesAVariantOfAPolicyThatHasNone) {
  for (const std::string policy : {"reservoir", "hybrid", "cur-res", "herding"}) {
    EXPECT_THAT(refusal_of(policy + ":0.5"),
                AllOf(HasSubstr("policy '" + policy + "'"), HasSubstr(policy + ":0.5")));
  }
}

TEST(PolicyLabel, IsWhatSetPolicyReads) {
  for (const std::string text :
       {"reservoir", "hybrid", "ring-full", "ring-full:floor", "mixed:0.25", "mixed:0",
        "gps:blurring", "gps:offline", "gps:rotation/balanced", "mixed:0.25/cur",
        "gps:rotation/balanced/cur", "gradient", "gradient:greedy", "cur-res"}) {
    EXPECT_EQ(policy_label(with_policy(text)), text);
  }
}

TEST(PolicyLabel, NamesTheVariantEvenWhereItIsTheDefault) {
  EXPECT_EQ(policy_label(with_policy("mixed")), "mixed:0.5");
  EXPECT_EQ(policy_label(with_policy("gps")), "gps:permutation");
  EXPECT_EQ(policy_label(with_policy("ring-full:deal")), "ring-full");
}

TEST(PolicyLabel, ShowsARatioForEachTaskAndABalancedScore) {
  Spec mixed = with_policy("mixed");
  mixed.ring = {0.5, 0.25, 0};
  EXPECT_EQ(policy_label(mixed), "mixed:0.5/0.25/0");
  Spec gps = with_policy("gps:rotation");
  gps.score = Score::balanced;
  EXPECT_EQ(policy_label(gps), "gps:rotation/balanced");
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
  EXPECT_EQ(simulation_options(with_policy("gps:cur")).base.easy_fraction, 0.2);
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
      [](Spec& s) { s.learner.lambda = 0.5f; },
      [](Spec& s) { s.learner.er_loss = ErLoss::concat; },
      [](Spec& s) { s.training.epochs = 4; },
      [](Spec& s) { s.training.batch = 11; },
      [](Spec& s) { s.network.hidden = {100}; },
      [](Spec& s) { s.network.initialisation = "pytorch"; },
      [](Spec& s) { s.memory = 999; },
  };
  std::map<std::string, std::vector<Edit>> all;
  for (const std::string& policy : names(policy_catalog())) all[policy] = always;
  all["ring-full"].emplace_back([](Spec& s) { s.ring_quota = RingQuota::floor; });
  all["mixed"].emplace_back([](Spec& s) { s.ring = {0.25}; });
  for (const char* rebuilding : {"mixed", "gps"}) {
    all[rebuilding].emplace_back([](Spec& s) { s.in_task = InTask::running; });
    all[rebuilding].emplace_back([](Spec& s) { s.base = Base::curriculum; });
    all[rebuilding].emplace_back([](Spec& s) {
      s.base = Base::curriculum;
      s.easy_fraction = 0.3;
    });
  }
  for (const char* curriculum : {"cur-res", "cur-ring-full"})
    all[curriculum].emplace_back([](Spec& s) { s.easy_fraction = 0.3; });
  all["gradient"].emplace_back([](Spec& s) { s.gss_variant = GssVariant::greedy; });
  all["gradient"].emplace_back([](Spec& s) { s.gss_batch = 32; });
  for (const Edit& edit : std::vector<Edit>{
           [](Spec& s) { s.future = "offline"; },
           [](Spec& s) { s.simulation_epochs = 2; },
           [](Spec& s) { s.simulation_examples = 77; },
           [](Spec& s) { s.window = 3; },
           [](Spec& s) { s.knows_length = false; },
           [](Spec& s) { s.objective = Objective::loss; },
           [](Spec& s) { s.score = Score::balanced; },
           [](Spec& s) { s.score_examples = 100; },
           [](Spec& s) { s.stride = 50; },
           [](Spec& s) { s.smallest_stride = 5; },
           [](Spec& s) { s.largest_stride = 500; },
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
       {[](Spec& s) { s.learner.hal_lambda = 0.2f; }, [](Spec& s) { s.learner.hal_beta = 0.3f; },
        [](Spec& s) { s.learner.hal_gamma = 0.2f; }, [](Spec& s) { s.learner.anchor_steps = 10; },
        [](Spec& s) { s.learner.hal_variant = HalVariant::mammoth; }}},
      {"oewc",
       {[](Spec& s) { s.learner.ewc_lambda = 10; }, [](Spec& s) { s.learner.ewc_gamma = 0.9f; },
        [](Spec& s) { s.learner.fisher = Fisher::exact; },
        [](Spec& s) { s.learner.fisher = Fisher::mammoth; }}},
      {"icarl", {[](Spec& s) { s.learner.weight_decay = 1e-5f; }}},
  };
  return all;
}

Spec with_learner(const std::string& name) {
  Spec spec;
  spec.learner.name = name;
  if (!replays(name)) spec.policy = "none";
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
  other.ring = {0.1};
  other.ring_quota = RingQuota::floor;
  other.in_task = InTask::running;
  other.base = Base::curriculum;
  other.easy_fraction = 0.3;
  other.gss_variant = GssVariant::greedy;
  other.gss_batch = 3;
  other.future = "rotation";
  other.stride = 7;
  EXPECT_EQ(to_json(other).dump(), to_json(with_policy("reservoir")).dump());

  Spec random = with_policy("gps");
  random.easy_fraction = 0.3;
  EXPECT_EQ(to_json(random).dump(), to_json(with_policy("gps")).dump());

  Spec sgd;
  sgd.learner.name = "sgd";
  sgd.policy = "none";
  Spec with_memory = sgd;
  with_memory.memory = 5;
  with_memory.learner.lambda = 3;
  EXPECT_EQ(to_json(with_memory).dump(), to_json(sgd).dump());
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
  spec.simulation_epochs = 2;
  spec.simulation_examples = 50;
  EXPECT_EQ(simulation_options(spec).examples, 50u);
  EXPECT_EQ(simulation_options(spec).training.epochs, 2);
}

}  // namespace
}  // namespace gps
