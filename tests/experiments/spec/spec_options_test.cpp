// The table of all options of a spec.
#include "gps/experiments/spec/spec_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "gps/experiments/spec/presets.h"
#include "support/complaint.h"

namespace gps {
namespace spec_options_test {

using testing::complaint;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string complaint(const std::string& flag, const std::string& text) {
  Spec spec;
  return complaint([&] { set_option(spec, flag, text); });
}

TEST(SpecOptions, HaveEveryKeyOnce) {
  std::set<std::string> keys;
  for (const SpecOption& option : spec_options()) {
    EXPECT_TRUE(keys.insert(option.row.key).second) << option.row.key;
    EXPECT_EQ(&spec_option(option.row.key), &option);
  }
}

TEST(SpecOptions, ShareNoFlagButInit) {
  std::multiset<std::string> flags;
  for (const SpecOption& option : spec_options()) flags.insert(option.row.flag);
  for (const std::string& flag : flags) {
    if (flag.empty()) continue;  // of files, for results only
    EXPECT_EQ(flags.count(flag), flag == "init" ? 2u : 1u) << flag;
  }
}

TEST(SpecOptions, StandUnderAHeadingAndAreExplained) {
  for (const SpecOption& option : spec_options()) {
    if (option.row.flag.empty()) continue;
    EXPECT_FALSE(option.group.empty()) << option.row.key;
    EXPECT_FALSE(option.row.help.empty()) << option.row.key;
  }
}

// Every option of every member is in the table, with exactly those members that have it.
template <typename AnyEntry>
void expect_users(const std::string& family, const std::vector<AnyEntry>& catalog) {
  for (const AnyEntry& entry : catalog) {
    for (const Option& own : entry.options) {
      const SpecOption& option = spec_option(own.key);
      EXPECT_EQ(option.family, family) << own.key;
      EXPECT_EQ(std::count(option.users.begin(), option.users.end(), entry.name), 1) << own.key;
      const auto has_condition =
          std::count(option.users_if.begin(), option.users_if.end(), entry.name);
      EXPECT_EQ(has_condition, own.needs_key.empty() ? 0 : 1) << own.key;
    }
  }
  for (const SpecOption& option : spec_options()) {
    if (option.family != family) continue;
    for (const std::string& user : option.users)
      EXPECT_NE(find_option(find(catalog, family, user).options, option.row.key), nullptr) << user;
  }
}

TEST(SpecOptions, NameTheUsersOfEach) {
  expect_users("learner", learner_catalog());
  expect_users("policy", policy_catalog());
  expect_users("model", model_catalog());
  EXPECT_THAT(spec_option("alpha").users, ElementsAre("der", "der++"));
  EXPECT_THAT(spec_option("easy_fraction").users,
              ElementsAre("mixed", "cur-res", "cur-ring-full", "gps"));
  EXPECT_THAT(spec_option("easy_fraction").users_if, ElementsAre("mixed", "gps"));
  EXPECT_TRUE(spec_option("memory").users.empty());
}

// A spec that looks at the option.
Spec spec_for(const SpecOption& option) {
  Spec spec;
  if (option.family.empty()) return spec;
  const std::string& user = option.users.front();
  if (option.family == "learner") spec.learner.name = user;
  if (option.family == "model") spec.network.model = user;
  if (option.family == "policy") spec.policy.name = user;
  const auto& conditional = option.users_if;
  if (std::find(conditional.begin(), conditional.end(), user) != conditional.end())
    spec.policy.settings[option.row.needs_key] = option.row.needs_value;
  return spec;
}

// A value that is not usual, where there is one that is sure to be allowed.
OptionValue unusual(const Option& row) {
  switch (row.kind) {
    case OptionKind::flag:
      return !std::get<bool>(row.usual);
    case OptionKind::whole:
      return std::get<int>(row.usual) + 1;
    case OptionKind::large:
      return std::get<std::uint64_t>(row.usual) + 1;
    case OptionKind::real:
      return row.most <= 1 ? 0.375 : 3.0;
    case OptionKind::name:
      return row.names.back();
    case OptionKind::text:
      return "a.pt";
    case OptionKind::wholes:
      return std::vector<int>{7};
    case OptionKind::reals:
      return std::vector<double>{0.375};
    case OptionKind::size:
      return std::get<int>(row.usual) + 1;
  }
  return {};
}

TEST(SpecOptions, AreReadBackFromTheirText) {
  for (const SpecOption& option : spec_options()) {
    if (option.row.kind == OptionKind::flag) {  // given: not as usual
      EXPECT_EQ(parse(option.row, "true"), unusual(option.row)) << option.row.key;
      EXPECT_EQ(parse(option.row, "false"), option.row.usual) << option.row.key;
      continue;
    }
    for (const OptionValue& value : {option.row.usual, unusual(option.row)}) {
      const OptionValue again = normalised(option.row, parse(option.row, text_of(value)));
      EXPECT_EQ(again, normalised(option.row, value)) << option.row.key << ": " << text_of(value);
    }
  }
}

TEST(SpecOptions, UsualValuesAndUnusualOnesAreAllowed) {
  for (const SpecOption& option : spec_options()) {
    EXPECT_NO_THROW(check(option.row, unusual(option.row))) << option.row.key;
    if (option.row.key == "width") continue;    // 0: 64, which nobody may say
    if (option.row.key == "backend") continue;  // empty: by precision and device
    EXPECT_NO_THROW(check(option.row, option.row.usual)) << option.row.key;
  }
}

TEST(SpecOptions, GetWhatWasSet) {
  for (const SpecOption& option : spec_options()) {
    Spec spec = spec_for(option);
    OptionValue value = unusual(option.row);
    if (option.row.key == "backend") value = "own";
    option.set(spec, value);
    EXPECT_EQ(option.get(spec), value) << option.row.key;
  }
}

TEST(SpecOptions, ThatASpecLooksAtAreInItsText) {
  for (const SpecOption& option : spec_options()) {
    Spec spec = spec_for(option);
    if (option.row.key == "augment") spec.benchmark.name = "s-cifar-10";
    if (option.row.key.starts_with("plan_")) spec.planning.knobs = "lr";
    if (option.row.key == "plan_for") spec.benchmark.name = "s-mnist";
    if (option.row.key == "model_fingerprint") spec.network.model = "a.pt";
    if (option.row.key == "weights_fingerprint") spec.network.weights = "a.pt";
    if (option.row.key == "backbone_fingerprint") spec.network.backbone = "a.pt";
    EXPECT_TRUE(option.concerns(spec)) << option.row.key;
    OptionValue value = unusual(option.row);
    if (option.row.key == "backend") value = "own";
    option.set(spec, value);
    const nlohmann::json json = to_json(spec);
    ASSERT_TRUE(json.contains(option.row.key)) << option.row.key;
    EXPECT_EQ(json[option.row.key], to_json(value)) << option.row.key;
  }
}

TEST(SpecOptions, ThatASpecDoesNotLookAtAreNotInItsText) {
  const nlohmann::json json = to_json(Spec());
  for (const SpecOption& option : spec_options()) {
    if (option.is_always_written) continue;
    const bool is_shown = option.concerns(Spec()) && !option.row.is_silent;
    EXPECT_EQ(json.contains(option.row.key), is_shown) << option.row.key;
  }
}

TEST(FindSpecOption, GoesByTheFlag) {
  EXPECT_EQ(find_spec_option("lr")->row.key, "learning_rate");
  EXPECT_EQ(find_spec_option("unknown-length")->row.key, "knows_length");
  EXPECT_EQ(find_spec_option("learning_rate"), nullptr) << "a key is no flag";
  EXPECT_EQ(find_spec_option(""), nullptr);
}

TEST(FindSpecOption, TellsFirstWeightsByNameFromThoseOfAFile) {
  EXPECT_EQ(find_spec_option("init", "pytorch")->row.key, "initialisation");
  EXPECT_EQ(find_spec_option("init", "first.pt")->row.key, "weights");
  EXPECT_EQ(find_spec_option("init", "there/first")->row.key, "weights");
}

TEST(SetOption, SetsFromText) {
  Spec spec;
  set_option(spec, "lr", "0.05");
  EXPECT_EQ(spec.learner.learning_rate, 0.05f);
  set_option(spec, "lambda", "0.7");
  EXPECT_EQ(*spec.learner.settings.find("lambda"), OptionValue(0.7));
  set_option(spec, "lambda", "2");
  EXPECT_EQ(*spec.learner.settings.find("lambda"), OptionValue(2.0));
  set_option(spec, "hidden", "none");
  EXPECT_TRUE(spec.network.hidden.empty());
  set_option(spec, "unknown-length", "true");
  EXPECT_EQ(*spec.policy.settings.find("knows_length"), OptionValue(false));
  set_option(spec, "ring", "0.3,0.5");
  EXPECT_EQ(*spec.policy.settings.find("ring"), OptionValue(std::vector<double>{0.3, 0.5}));
  set_option(spec, "init", "first.pt");
  EXPECT_EQ(spec.network.weights, "first.pt");
  EXPECT_EQ(spec.network.initialisation, "xavier");
}

TEST(SetOption, RefusesWhatCannotBe) {
  EXPECT_EQ(complaint("speed", "3"), "`speed` is not an option of a run");
  EXPECT_EQ(complaint("memory", "ten"),
            "`memory` must be a whole number, or a size such as 784kB, 20MB or 1GiB, got 'ten'");
  EXPECT_EQ(complaint("memory", "0"), "`memory` must be between 1 and 100000000, got 0");
  EXPECT_EQ(complaint("lr", "0"), "`lr` must be a positive number, got 0");
  EXPECT_EQ(complaint("er-loss", "mean"), "`er-loss` must be one of sum, concat, got 'mean'");
  EXPECT_EQ(complaint("ring", "0.5,1.5"), "`ring` must be between 0 and 1, got 1.5");
  EXPECT_THAT(complaint("init", "he"), HasSubstr("must be one of xavier, pytorch, got 'he'"));
  EXPECT_EQ(complaint("no-augment", "perhaps"),
            "`no-augment` must be true or false, got 'perhaps'");
}

// Specs of which every option leaves at least one alone.
std::vector<Spec> various_specs() {
  std::vector<Spec> all;
  for (const char* benchmark : {"p-mnist", "s-fashion-mnist", "s-cifar-10"}) {
    for (const LearnerEntry& learner : learner_catalog()) {
      for (const PolicyEntry& policy : policy_catalog()) {
        for (const char* knobs : {"", "lr"}) {
          for (const char* backbone : {"", "backbone.pt"}) {
            Spec spec;
            spec.benchmark.name = benchmark;
            spec.learner.name = learner.name;
            spec.policy.name = replays(learner.name) ? policy.name : "none";
            spec.planning.knobs = knobs;
            spec.network.backbone = backbone;
            spec.network.model = spec.benchmark.name == "s-cifar-10" ? "resnet18" : "mlp";
            all.push_back(spec);
          }
        }
      }
    }
  }
  return all;
}

// What each option without a family depends on, as a message says it, and whether a spec lacks it.
bool is_true(const std::string& reason, const Spec& spec) {
  if (reason == "has no effect for a run without `plan`") return spec.planning.knobs.empty();
  if (reason == "has no effect for a run without `backbone`") return spec.network.backbone.empty();
  if (reason == "has no effect for a `model` that is not a file")
    return !is_file(spec.network.model);
  if (reason == "has no effect for an `init` that is not a file")
    return spec.network.weights.empty();
  if (reason == "has no effect for features, which are computed once for each image")
    return !spec.network.backbone.empty();
  const std::string& stream = spec.benchmark.name;
  if (reason == "has no effect for " + stream + ", whose images are grey")
    return stream != "s-cifar-10";
  if (reason == "has no effect for " + stream + ", whose tasks have the same classes")
    return !is_split(spec.benchmark);
  if (reason == "has no effect for " + stream + ", which is planned task by task")
    return is_split(spec.benchmark);
  return reason == "has no effect for learner '" + spec.learner.name + "', which keeps no memory" &&
         !replays(spec.learner.name);
}

TEST(WhyUseless, IsTrueOfEveryOptionAndNamesWhatItDependsOn) {
  std::map<std::string, std::string> depends = {{"augment", "images"},
                                                {"memory_batch", "memory"},
                                                {"memory", "memory"},
                                                {"codec", "memory"},
                                                {"model_fingerprint", "model"},
                                                {"plan_for", "plan"},
                                                {"weights_fingerprint", "init"},
                                                {"backbone_fingerprint", "backbone"},
                                                {"plan_tasks", "plan"},
                                                {"plan_budget", "plan"}};
  std::set<std::string> seen;
  for (const Spec& spec : various_specs()) {
    for (const SpecOption& option : spec_options()) {
      if (option.concerns(spec)) continue;
      ASSERT_TRUE(option.instead) << option.row.key;
      const std::string reason = why_useless(option, option.instead(spec));
      seen.insert(option.row.key);
      if (!option.family.empty()) {
        EXPECT_THAT(reason, HasSubstr("but `" + option.family + "` is "));
        for (const std::string& user : option.users) EXPECT_THAT(reason, HasSubstr(user));
        continue;
      }
      EXPECT_TRUE(depends.contains(option.row.key)) << option.row.key;
      EXPECT_TRUE(is_true(reason, spec)) << option.row.key << " " << reason;
      if (option.row.key != "augment" &&
          !reason.starts_with("has no effect for " + spec.benchmark.name)) {
        EXPECT_THAT(reason, HasSubstr(depends[option.row.key]));
      }
    }
  }
  for (const auto& [key, what] : depends) EXPECT_TRUE(seen.contains(key)) << key;
}

TEST(WhyUseless, NamesTheUsersAndWhatThereIsInstead) {
  EXPECT_EQ(why_useless(spec_option("ring"), "gps"),
            "works only with policy mixed, but `policy` is gps");
  EXPECT_EQ(why_useless(spec_option("alpha"), "er"),
            "works only with learner der and der++, but `learner` is er");
  EXPECT_EQ(why_useless(spec_option("width"), "mlp"),
            "works only with model convnet and resnet18, but `model` is mlp");
  EXPECT_EQ(why_useless(spec_option("easy_fraction"), "reservoir"),
            "works only with policy cur-res and cur-ring-full, and mixed and gps with `base` "
            "curriculum, but `policy` is reservoir");
  EXPECT_EQ(why_useless(spec_option("memory"), "sgd"), "has no effect for sgd");
}

}  // namespace spec_options_test
}  // namespace gps
