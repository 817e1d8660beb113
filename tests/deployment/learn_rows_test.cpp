#include "gps/deployment/learn_rows.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

namespace gps {
namespace learn_rows_test {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

LearnOptions made_with(const GivenTexts& given) {
  LearnOptions options = new_learn_options(given);
  options.shape = {1, 8, 8};
  settle(options);
  return options;
}

// The options as the next call reads them.
LearnOptions reread(const LearnOptions& options) {
  return learn_options_from(to_json(options), ".");
}

template <typename Function>
std::string complaint(const Function& function) {
  try {
    function();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "(fine)";
}
std::string refusal_of_new(const GivenTexts& given) {
  return complaint([&] { made_with(given); });
}
std::string refusal_of_change(const GivenTexts& made, const GivenTexts& given) {
  LearnOptions options = reread(made_with(made));
  return complaint([&, &given = given] { change_options(options, given); });
}

const LearnOption& row_of(const std::string& flag) { return *find_by_flag(learn_rows(), flag); }

DataFacts photographs(std::size_t images) {
  DataFacts facts;
  facts.image = {3, 32, 32};
  facts.images = images;
  return facts;
}

TEST(NewLearnOptions, FitTheImagesUnlessOptionsAreGiven) {
  const LearnOptions chosen = new_learn_options({}, photographs(80));
  EXPECT_EQ(chosen.method.network.model, "convnet");
  EXPECT_GT(chosen.method.network.width, 0);
  EXPECT_TRUE(chosen.fits_epochs);
  EXPECT_EQ(new_learn_options({}, photographs(20'000)).method.training.epochs,
            usual_epochs("convnet", 20'000, 10));
  const LearnOptions given =
      new_learn_options({{"model", "mlp"}, {"epochs", "7"}, {"lr", "0.2"}}, photographs(80));
  EXPECT_EQ(given.method.network.model, "mlp");
  EXPECT_EQ(given.method.training.epochs, 7);
  EXPECT_FLOAT_EQ(given.method.learner.learning_rate, 0.2f);
  EXPECT_FALSE(given.fits_epochs);
}

TEST(NewLearnOptions, RememberThatEpochsFollowTheData) {
  LearnOptions options = new_learn_options({}, photographs(80));
  options.shape = {3, 32, 32};
  settle(options);
  LearnOptions later = reread(options);
  EXPECT_TRUE(later.fits_epochs);
  change_options(later, {{"lr", "0.01"}});
  EXPECT_TRUE(later.fits_epochs);
  change_options(later, {{"epochs", "4"}});
  EXPECT_FALSE(later.fits_epochs);
  EXPECT_EQ(reread(later).method.training.epochs, 4);
  EXPECT_FALSE(reread(later).fits_epochs);
  nlohmann::json earlier = to_json(options);  // of a gpscl that did not know of it
  earlier.erase("fits_epochs");
  EXPECT_FALSE(learn_options_from(earlier, ".").fits_epochs);
}

TEST(LearnRows, HaveEveryOptionOfAMethodThatCanBeDeployed) {
  std::set<std::string> keys;
  for (const LearnOption& option : learn_rows()) {
    EXPECT_TRUE(keys.insert(option.row.key).second) << option.row.key;
    EXPECT_FALSE(option.row.help.empty()) << option.row.key;
  }
  for (const std::string& learner : deployable_learners()) {
    for (const Option& option : find(learner_catalog(), "learner", learner).options)
      EXPECT_THAT(keys, Contains(option.key)) << learner;
  }
  for (const std::string& policy : deployable_policies()) {
    for (const Option& option : find(policy_catalog(), "policy", policy).options) {
      if (option.key == "knows_length" || option.key == "ring_quota") continue;
      EXPECT_THAT(keys, Contains(option.key)) << policy;
    }
  }
  for (const Entry& model : model_catalog()) {
    for (const Option& option : model.options)
      EXPECT_THAT(keys, Contains(option.key)) << model.name;
  }
  for (const char* key : {"epochs", "batch", "learning_rate", "memory_batch"})
    EXPECT_THAT(keys, Contains(key));
  for (const char* key :
       {"hal_lambda", "ewc_lambda", "directions", "tasks", "knows_length", "ring_quota"})
    EXPECT_THAT(keys, Not(Contains(key)));
  EXPECT_THAT(row_of("easy-fraction").users, ElementsAre("mixed", "cur-ring-full", "gps"));
}

TEST(LearnRows, NameOnlyWhatAStateCanBeMadeWith) {
  for (const LearnOption& option : learn_rows()) {
    if (option.row.kind != OptionKind::name || option.family != "policy") continue;
    for (const std::string& name : option.row.names) {
      const GivenTexts given = {{"policy", option.users.front()}, {option.row.flag, name}};
      EXPECT_THAT(refusal_of_new(given), ::testing::AnyOf("(fine)", HasSubstr("works only with")))
          << option.row.flag << " " << name;
    }
  }
  EXPECT_THAT(row_of("future").row.names, Not(Contains("offline")));
  EXPECT_THAT(row_of("future").row.names, Contains("rotation"));
  EXPECT_EQ(find_by_flag(learn_rows(), "ring-quota"), nullptr) << "it would be deal in any state";
  EXPECT_THAT(refusal_of_new({{"future", "offline"}}),
              AllOf(HasSubstr("`future` must be one of permutation"), HasSubstr("got 'offline'")));
}

TEST(LearnRows, SayWhatIsUsualHere) {
  EXPECT_EQ(row_of("lr").row.usual_text, "0.03");
  EXPECT_EQ(row_of("epochs").row.usual_text, "by the number of images: 2 to 100");
  EXPECT_EQ(row_of("width").row.usual_text, "64");
  EXPECT_EQ(row_of("alpha").row.usual_text,
            "der: 0.5, der++: 1; models other than mlp: der: 0.3, der++: 0.1");
  for (const LearnOption& option : learn_rows())
    EXPECT_THAT(option.row.usual_text, AllOf(Not(HasSubstr("cifar")), Not(HasSubstr("mnist"))));
}

TEST(LearnRows, SetWhatAStateIsMadeWith) {
  const LearnOptions options = made_with({{"learner", "der++"},
                                          {"alpha", "0.25"},
                                          {"beta", "0.75"},
                                          {"policy", "gps"},
                                          {"base", "curriculum"},
                                          {"sim-epochs", "2"},
                                          {"hidden", "16,8"},
                                          {"init", "pytorch"},
                                          {"memory", "60"},
                                          {"held-out", "0.5"},
                                          {"seed", "18446744073709551615"},
                                          {"batch", "4"}});
  const nlohmann::json json = to_json(options);
  const nlohmann::json& method = json.at("spec");
  EXPECT_EQ(method.at("alpha"), 0.25);
  EXPECT_EQ(method.at("beta"), 0.75);
  EXPECT_EQ(method.at("base"), "curriculum");
  EXPECT_EQ(method.at("simulation_epochs"), 2);
  EXPECT_EQ(method.at("hidden"), (std::vector<int>{16, 8}));
  EXPECT_EQ(method.at("initialisation"), "pytorch");
  EXPECT_EQ(method.at("memory_batch"), 4) << "as large as the batch, unless told otherwise";
  EXPECT_EQ(method.at("memory"), 30) << "what is replayed";
  EXPECT_EQ(json.at("memory"), 60);
  EXPECT_EQ(json.at("seed"), 18446744073709551615u);
  EXPECT_EQ(to_json(reread(options)), json);
}

TEST(LearnRows, TakeABudgetInBytes) {
  // An image of 8 x 8 takes 64 + 8 bytes as it is, and 8 + 8 with one bit for each pixel. A fifth
  // of 7,200 bytes holds 20 images for testing; the rest holds 5,760/16.
  const LearnOptions options = made_with({{"memory", "7200B"}, {"codec", "bits:1"}});
  EXPECT_EQ(budget_of(options).test, 20u);
  EXPECT_EQ(budget_of(options).replay, 360u);
  EXPECT_EQ(options.method.memory, 360);
  const nlohmann::json json = to_json(options);
  EXPECT_EQ(json.at("memory_bytes"), 7200);
  EXPECT_FALSE(json.contains("memory"));
  EXPECT_EQ(json.at("spec").at("codec"), "bits:1");
  EXPECT_EQ(to_json(reread(options)), json);
  EXPECT_FALSE(to_json(made_with({})).contains("memory_bytes"));
  EXPECT_FALSE(to_json(made_with({})).at("spec").contains("codec"));
  EXPECT_EQ(refusal_of_change({{"memory", "7200B"}}, {{"memory", "7.2kB"}}), "(fine)");
  EXPECT_EQ(refusal_of_change({{"memory", "7200B"}}, {{"memory", "8kB"}}), "(fine)");
  EXPECT_EQ(refusal_of_change({{"memory", "7200B"}}, {{"learner", "der"}}), "(fine)");
  EXPECT_THAT(
      refusal_of_change({{"memory", "7200B"}}, {{"learner", "der"}, {"policy", "reservoir"}}),
      StartsWith("`memory` must be a number of images for learner 'der' with policy 'reservoir'"));
  EXPECT_THAT(refusal_of_change({}, {{"codec", "bits:1"}}),
              StartsWith("`codec` is raw in this state and cannot change, got bits:1"));
}

TEST(LearnRows, RefuseABudgetInBytesThatCannotBe) {
  EXPECT_THAT(refusal_of_new({{"memory", "71B"}}), StartsWith("`memory` must be at least 72B"));
  EXPECT_THAT(refusal_of_new({{"memory", "2MB"}, {"learner", "der++"}, {"policy", "reservoir"}}),
              AllOf(HasSubstr("'der++'"), HasSubstr("'reservoir'"), HasSubstr("fixed number")));
  EXPECT_THAT(refusal_of_new({{"codec", "down:3"}}), HasSubstr("multiples of 3"));
  EXPECT_THAT(refusal_of_new({{"codec", "zip"}}), HasSubstr("got 'zip'"));
}

TEST(LearnRows, AreTheDefaultsWhereNothingIsGiven) {
  LearnOptions usual = learn_options("er");
  usual.shape = {1, 8, 8};
  settle(usual);
  EXPECT_EQ(to_json(made_with({})), to_json(usual));
}

TEST(LearnRows, RefuseWhatHasNoEffect) {
  const std::string alpha = "`alpha` works only with learner der and der++, but `learner` is er";
  EXPECT_EQ(refusal_of_new({{"alpha", "0.3"}}), alpha);
  EXPECT_EQ(refusal_of_change({}, {{"alpha", "0.3"}}), alpha);
  EXPECT_EQ(refusal_of_new({{"width", "20"}}),
            "`width` works only with model convnet and resnet18, but `model` is mlp");
  EXPECT_EQ(refusal_of_new({{"ring", "0.5"}}),
            "`ring` works only with policy mixed, but `policy` is gps:permutation");
  EXPECT_EQ(refusal_of_new({{"learner", "sgd"}, {"memory-batch", "5"}}),
            "`memory-batch` has no effect for learner 'sgd', which keeps no memory");
  EXPECT_EQ(refusal_of_new({{"policy", "gps:rotation"}, {"future", "rotation"}}),
            "`policy` gps:rotation and `future` set the same option; leave one of them out");
}

TEST(LearnRows, RefuseValuesOutOfRangeInAnyCall) {
  const GivenTexts resnet18 = {{"model", "resnet18"}};
  const std::string width = "`width` must be between 1 and 1024, got 0";
  EXPECT_EQ(refusal_of_new({{"model", "resnet18"}, {"width", "0"}}), width);
  EXPECT_EQ(refusal_of_change(resnet18, {{"width", "0"}}), width);
  EXPECT_EQ(refusal_of_change({}, {{"width", "0"}}), width);
  EXPECT_EQ(refusal_of_change({}, {{"epochs", "0"}}),
            "`epochs` must be between 1 and 1000000, got 0");
  EXPECT_EQ(refusal_of_new({{"memory", "-1"}}), "`memory` must be between 0 and 100000000, got -1");
  EXPECT_EQ(refusal_of_new({{"held-out", "1"}}),
            "`held-out` must be at least 0 and below 1, got 1");
  EXPECT_EQ(refusal_of_new({{"keep", "1001"}}), "`keep` must be between 0 and 1000, got 1001");
  EXPECT_EQ(refusal_of_new({{"seed", "-1"}}),
            "`seed` must be a whole number, at least 0, got '-1'");
}

TEST(Change, TakesTheValuesThatTheStateHas) {
  const std::vector<std::pair<GivenTexts, GivenTexts>> calls = {
      {{{"model", "resnet18"}}, {{"width", "64"}, {"backend", "own"}, {"precision", "fp32"}}},
      {{{"model", "resnet18"}, {"precision", "bf16"}}, {{"backend", "own"}}},
      {{{"learner", "der++"}}, {{"alpha", "1"}, {"der-logits", "step"}}},
      {{{"policy", "gps:rotation"}}, {{"policy", "gps:rotation"}}},
      {{{"policy", "gps:rotation"}}, {{"future", "rotation"}, {"sim-epochs", "1"}}},
      {{{"policy", "gps"}, {"base", "curriculum"}}, {{"policy", "gps"}, {"base", "curriculum"}}},
      {{{"policy", "gps"}, {"base", "curriculum"}}, {{"policy", "gps:cur"}}},
      {{{"learner", "sgd"}}, {{"policy", "none"}}},
      {{}, {{"hidden", "100,100"}, {"memory", "500"}, {"held-out", "0.2"}, {"seed", "0"}}},
      {{}, {{"learner", "er"}, {"policy", "gps"}, {"model", "mlp"}, {"er-loss", "sum"}}},
  };
  for (const auto& [made, given] : calls) {
    LearnOptions options = reread(made_with(made));
    const nlohmann::json before = to_json(options);
    EXPECT_EQ(complaint([&, &given = given] { change_options(options, given); }), "(fine)")
        << given.begin()->first;
    EXPECT_EQ(to_json(options), before) << given.begin()->first;
    EXPECT_EQ(refusal_of_change(made, made), "(fine)") << "the first call, repeated";
  }
}

TEST(Change, RefusesOtherValuesAndNamesThoseOfTheState) {
  EXPECT_EQ(refusal_of_change({{"model", "resnet18"}}, {{"width", "32"}}),
            "`width` is 64 in this state and cannot change, got 32; start a new state for that");
  EXPECT_THAT(refusal_of_change({{"model", "resnet18"}}, {{"backend", "libtorch"}}),
              StartsWith("`backend` is own in this state and cannot change, got libtorch"));
  EXPECT_THAT(refusal_of_change({}, {{"held-out", "0.1"}}), StartsWith("`held-out` is 0.2 in"));
  EXPECT_THAT(refusal_of_change({}, {{"seed", "3"}}), StartsWith("`seed` is 0 in"));
  EXPECT_THAT(refusal_of_change({}, {{"hidden", "16"}}), StartsWith("`hidden` is 100,100 in"));
  EXPECT_THAT(refusal_of_change({}, {{"model", "convnet"}, {"width", "64"}}),
              StartsWith("`model` is mlp in this state"));
  EXPECT_THAT(refusal_of_change({}, {{"init", "a.pt"}}), EndsWith("has weights already"));
}

TEST(Change, ChangesLearnerPolicyAndTheirOptions) {
  LearnOptions options = reread(made_with({{"lr", "0.02"}}));
  change_options(options, {{"learner", "der"}, {"policy", "mixed:0.3"}});
  EXPECT_EQ(options.method.learner.name, "der");
  EXPECT_EQ(options.method.learner.learning_rate, 0.02f) << "that of the state";
  EXPECT_EQ(policy_label(options.method.policy), "mixed:0.3");
  change_options(options, {{"alpha", "0.6"}, {"ring", "0.4"}, {"memory", "1e3"}});
  const nlohmann::json json = to_json(reread(options));
  EXPECT_EQ(json.at("spec").at("alpha"), 0.6);
  EXPECT_EQ(json.at("spec").at("ring"), nlohmann::json::array({0.4}));
  EXPECT_EQ(json.at("memory"), 1000);
  EXPECT_EQ(options.method.memory, 800);
  change_options(options, {{"learner", "sgd"}});
  EXPECT_EQ(options.method.policy.name, "none");
  change_options(options, {{"learner", "er"}});
  EXPECT_EQ(policy_label(options.method.policy), policy_label(made_with({}).method.policy));
  EXPECT_THAT(refusal_of_change({}, {{"learner", "eer"}}), StartsWith("unknown learner 'eer'"));
  EXPECT_THAT(refusal_of_change({}, {{"learner", "hal"}}), StartsWith("learner 'hal'"));
  EXPECT_THAT(refusal_of_change({}, {{"policy", "hybrid"}}), StartsWith("policy 'hybrid'"));
  EXPECT_THAT(refusal_of_change({}, {{"memory", "0"}}), StartsWith("`memory` 0 leaves no images"));
}

TEST(Change, ChangesHowItTrains) {
  LearnOptions options = reread(made_with({{"batch", "5"}}));
  change_options(options, {{"epochs", "7"}, {"lr", "0.5"}, {"batch", "20"}, {"keep", "3"}});
  EXPECT_EQ(options.method.training.epochs, 7);
  EXPECT_EQ(options.method.training.batch, 20);
  EXPECT_EQ(options.method.learner.memory_batch, 20);
  EXPECT_EQ(options.method.learner.learning_rate, 0.5f);
  EXPECT_EQ(options.keep, 3);
  change_options(options, {{"memory-batch", "8"}});
  EXPECT_EQ(options.method.training.batch, 20);
  EXPECT_EQ(options.method.learner.memory_batch, 8);
  change_options(options, {{"batch", "10"}});
  EXPECT_EQ(options.method.learner.memory_batch, 8) << "it was given on its own";
}

}  // namespace learn_rows_test
}  // namespace gps
