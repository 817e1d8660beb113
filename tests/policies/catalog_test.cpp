#include "gps/policies/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gps/simulation/gps_policy.h"

namespace gps {
namespace policy_catalog_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

PolicyOptions with_policy(const std::string& text) {
  PolicyOptions options;
  set_policy(options, text);
  return options;
}

// What this text says of an option of the policy.
std::string setting(const std::string& text, const std::string& key) {
  return text_of(setting_of(with_policy(text), key));
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
    const PolicyOptions options = with_policy(name);
    EXPECT_EQ(options.name, name);
    EXPECT_EQ(options.settings, Settings());
  }
  PolicyOptions options = with_policy("gps:rotation");
  set_policy(options, "gps:balanced");
  EXPECT_EQ(policy_label(options), "gps:rotation/balanced");
}

TEST(Policies, SeeTheLearnerOnlyIfTheyLookAtIt) {
  Executor executor(1);
  SimulationNeeds needs;
  needs.executor = &executor;
  std::vector<std::string> watching;
  for (const std::string& name : names(policy_catalog())) {
    const auto policy = make_policy(with_policy(name), {.batch = 10, .simulation = &needs});
    if (policy->as_watching() != nullptr) watching.push_back(name);
  }
  // mixed may have the curriculum for its base.
  EXPECT_THAT(watching, ::testing::UnorderedElementsAre("mixed", "cur-res", "cur-ring-full",
                                                        "gradient", "herding", "gps"));
}

TEST(Policies, RefuseToBeMadeWithoutWhatTheyNeedOfTheRun) {
  const auto said = [](const std::string& name, const PolicyContext& context) {
    try {
      make_policy(with_policy(name), context);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("(made)");
  };
  const SimulationNeeds no_executor;
  for (const std::string& name : names(policy_catalog())) {
    if (name == "gps") continue;
    EXPECT_EQ(said(name, {}), "(made)") << name;
  }
  EXPECT_EQ(said("gps", {}), "policy 'gps' needs PolicyContext::simulation, which is null");
  EXPECT_EQ(said("gps", {.simulation = &no_executor}),
            "policy 'gps' needs SimulationNeeds::executor, which is null");
  EXPECT_THROW(settled(with_policy("gps"), {}), UsageError);
  EXPECT_NO_THROW(settled(with_policy("gps"), {.simulation = &no_executor}));
}

TEST(SetPolicy, TakesTheVariantAfterTheColon) {
  EXPECT_EQ(setting("mixed:0.25", "ring"), "0.25");
  EXPECT_EQ(setting("gps:rotation", "future"), "rotation");
  EXPECT_EQ(setting("ring-full:floor", "ring_quota"), "floor");
  EXPECT_EQ(setting("ring-full:deal", "ring_quota"), "deal");
  EXPECT_EQ(setting("gradient:greedy", "gss_variant"), "greedy");
}

TEST(SetPolicy, TakesTheCurriculumPairAfterOtherVariantsOrAlone) {
  for (const std::string text : {"mixed:cur", "mixed:0.25/cur", "gps:cur", "gps:rotation/cur",
                                 "gps:rotation/balanced/cur", "gps:cur/rotation"}) {
    EXPECT_EQ(setting(text, "base"), "curriculum") << text;
  }
  EXPECT_EQ(setting("mixed:cur", "ring"), "0.5");
  EXPECT_EQ(setting("mixed:0.25/cur", "ring"), "0.25");
  EXPECT_EQ(setting("gps:cur", "future"), "permutation");
  EXPECT_EQ(setting("gps:rotation/cur", "future"), "rotation");
  EXPECT_EQ(setting("gps:rotation", "base"), "random");
}

TEST(SetPolicy, TakesARatioForEachTask) {
  EXPECT_EQ(setting("mixed:0.3/0.5", "ring"), "0.3,0.5");
  EXPECT_EQ(setting("mixed:0/1/.5/cur", "ring"), "0,1,0.5");
  EXPECT_EQ(setting("mixed:0/1/.5/cur", "base"), "curriculum");
}

TEST(SetPolicy, RefusesUnknownNamesAndListsTheKnownOnes) {
  EXPECT_THAT(refusal_of("resevoir"),
              AllOf(HasSubstr("policy 'resevoir'"), HasSubstr(join(names(policy_catalog())))));
  EXPECT_THAT(refusal_of("gps:crystal-ball"),
              AllOf(HasSubstr("future 'crystal-ball'"), HasSubstr(join(names(future_catalog())))));
  EXPECT_THAT(refusal_of("gps:rotation/nice"), HasSubstr("future 'nice'"));
  EXPECT_THAT(refusal_of("gps:0.5"), HasSubstr("future '0.5'"));
  EXPECT_THAT(refusal_of("gps:"), HasSubstr("future ''"));
  EXPECT_EQ(refusal_of("ring-full:ceil"), "unknown ring-quota 'ceil'; known: deal, floor");
  EXPECT_EQ(refusal_of("gradient:iqp"), "unknown gss-variant 'iqp'; known: mammoth, greedy");
}

TEST(SetPolicy, RefusesARatioThatIsNoNumber) {
  for (const std::string ratio : {"half", "0.5x", "", "0,5", "curr", "nan", "0.5/half"}) {
    const std::string last = ratio.substr(ratio.find('/') + 1);
    EXPECT_EQ(refusal_of("mixed:" + ratio),
              "`ring` must be a number between 0 and 1, got '" + last + "'");
  }
}

TEST(SetPolicy, RefusesAVariantOfAPolicyThatHasNone) {
  for (const PolicyEntry& entry : policy_catalog()) {
    if (!entry.variants.empty()) continue;
    EXPECT_THAT(refusal_of(entry.name + ":0.5"),
                AllOf(HasSubstr("policy '" + entry.name + "'"), HasSubstr(entry.name + ":0.5")));
  }
}

TEST(PolicyLabel, IsWhatSetPolicyReads) {
  for (const std::string text :
       {"reservoir", "hybrid", "ring-full", "ring-full:floor", "mixed:0.25", "mixed:0",
        "mixed:0.3/0.5", "mixed:0.5/0.25/0/cur", "gps:blurring", "gps:offline",
        "gps:rotation/balanced", "mixed:0.25/cur", "gps:rotation/balanced/cur", "gradient",
        "gradient:greedy", "cur-res"}) {
    EXPECT_EQ(policy_label(with_policy(text)), text);
  }
}

// The values that a variant may have, and some where there are many.
std::vector<OptionValue> values_of(const Option& option) {
  using Ratios = std::vector<double>;
  if (option.kind == OptionKind::reals) return {Ratios{0.5}, Ratios{0}, Ratios{0.3, 0.5}};
  return {option.names.begin(), option.names.end()};
}

// All combinations of the variants' values.
std::vector<PolicyOptions> all_variants(const PolicyEntry& entry) {
  std::vector<PolicyOptions> all = {{.name = entry.name}};
  for (const std::string& key : entry.variants) {
    std::vector<PolicyOptions> more;
    for (const PolicyOptions& options : all) {
      for (const OptionValue& value : values_of(*find_option(entry.options, key))) {
        more.push_back(options);
        more.back().settings[key] = value;
      }
    }
    all = more;
  }
  return all;
}

TEST(PolicyLabel, IsReadBackForEveryVariantOfEveryPolicy) {
  for (const PolicyEntry& entry : policy_catalog()) {
    for (const PolicyOptions& options : all_variants(entry)) {
      const std::string label = policy_label(options);
      const PolicyOptions again = with_policy(label);
      EXPECT_EQ(policy_label(again), label);
      for (const std::string& key : entry.variants)
        EXPECT_EQ(setting_of(again, key), setting_of(options, key)) << label << ", " << key;
      for (const auto& [key, value] : variant_of(label))
        EXPECT_EQ(value, setting_of(options, key)) << label << ", " << key;
    }
  }
}

TEST(PolicyLabel, NamesTheVariantEvenWhereItIsTheDefault) {
  EXPECT_EQ(policy_label(with_policy("mixed")), "mixed:0.5");
  EXPECT_EQ(policy_label(with_policy("gps")), "gps:permutation");
  EXPECT_EQ(policy_label(with_policy("ring-full:deal")), "ring-full");
  EXPECT_EQ(policy_label({.name = "none"}), "none");
}

TEST(PolicyLabel, ShowsARatioForEachTaskAndABalancedScore) {
  PolicyOptions mixed = with_policy("mixed");
  mixed.settings["ring"] = std::vector<double>{0.5, 0.25, 0};
  EXPECT_EQ(policy_label(mixed), "mixed:0.5/0.25/0");
  PolicyOptions gps = with_policy("gps:rotation");
  gps.settings["score"] = "balanced";
  EXPECT_EQ(policy_label(gps), "gps:rotation/balanced");
}

TEST(SettingOf, IsTheUsualValueOfThePolicyItselfOrOfOneThatHasIt) {
  EXPECT_EQ(setting_of(with_policy("cur-res"), "easy_fraction"), OptionValue(0.2));
  EXPECT_EQ(setting_of(with_policy("cur-ring-full"), "easy_fraction"), OptionValue(0.1));
  EXPECT_EQ(setting_of(with_policy("reservoir"), "gss_batch"), OptionValue(10));
  EXPECT_EQ(setting_of({.name = "none"}, "gss_batch"), OptionValue(10));
}

TEST(ValidatePolicy, RefusesWhatCannotBe) {
  const auto said = [](const char* text, const char* key, const OptionValue& value) {
    PolicyOptions options = with_policy(text);
    options.settings[key] = value;
    try {
      validate(options);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("(fine)");
  };
  EXPECT_EQ(said("gps", "window", -1), "`window` must be between 0 and 1000, got -1");
  EXPECT_EQ(said("gps", "reuse", 0.5), "`reuse` must be at least 0 and below 0.5, got 0.5");
  EXPECT_EQ(said("cur-res", "easy_fraction", 0.0),
            "`easy-fraction` must be above 0 and at most 1, got 0");
  EXPECT_EQ(said("gradient", "gss_batch", 0), "`gss-batch` must be at least 1, got 0");
  EXPECT_EQ(said("reservoir", "window", 3), "(fine)") << "another policy's";
  EXPECT_EQ(said("reservoir", "windov", 3), "`windov` is not an option");
}

TEST(ValidatePolicy, RefusesWhatDoesNotFitTheStream) {
  const auto said = [](const PolicyOptions& options, const StreamOutline& stream) {
    try {
      check_stream(options, stream);
    } catch (const OptionError& error) {
      return std::string(error.what());
    }
    return std::string("(fine)");
  };
  const PolicyOptions floor = with_policy("ring-full:floor");
  EXPECT_EQ(said(floor, {.tasks = 5, .memory = 9, .classes_a_task = 2, .classes_of_all_tasks = 10}),
            "`ring-quota` floor needs a memory of at least tasks x classes (5 x 2 = 10), got 9");
  EXPECT_EQ(said(floor, {.tasks = 5, .memory = 9, .classes_of_all_tasks = 12}),
            "`ring-quota` floor needs a memory of at least tasks x classes (12 for all tasks), got "
            "9");
  EXPECT_EQ(said(floor, {.tasks = 5, .memory = 10, .classes_of_all_tasks = 10}), "(fine)");
  EXPECT_EQ(said(floor, {.tasks = 5, .classes_of_all_tasks = 10}), "(fine)") << "not known yet";
  EXPECT_EQ(said(with_policy("ring-full"), {.tasks = 5, .memory = 1, .classes_of_all_tasks = 10}),
            "(fine)");
  const PolicyOptions two = with_policy("mixed:0.1/0.2");
  EXPECT_EQ(said(two, {.tasks = 2}), "(fine)");
  EXPECT_EQ(said(two, {.tasks = 3}),
            "`ring` must have one ratio or one for each of the 3 tasks, got 2");
  EXPECT_EQ(said(two, {}),
            "`ring` must have one ratio, because the number of tasks is not known, got 2");
  EXPECT_EQ(said(with_policy("mixed:0.1"), {}), "(fine)");
}

TEST(Settled, FillsInWhatFollowsFromTheRun) {
  const SimulationNeeds needs{.tasks = 10, .pseudo_epochs = 5, .memory = 77};
  const PolicyContext context{10, &needs};
  const Settings gps = settled(with_policy("gps"), context);
  EXPECT_EQ(*gps.find("simulation_epochs"), OptionValue(5));
  EXPECT_EQ(*gps.find("simulation_examples"), OptionValue(77));
  EXPECT_FALSE(gps.contains("easy_fraction")) << "of concern to the curriculum pair alone";
  EXPECT_EQ(*settled(with_policy("gps:cur"), context).find("easy_fraction"), OptionValue(0.2));
  EXPECT_EQ(settled({.name = "none"}, context), Settings());
  PolicyOptions other = with_policy("reservoir");
  other.settings["window"] = 3;
  EXPECT_EQ(settled(other, context), Settings()) << "none of its own";
}

}  // namespace policy_catalog_test
}  // namespace gps
