#include "gps/experiments/planning/recipe.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "gps/core/option.h"

namespace gps {
namespace recipe_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Recipe some_recipe() {
  return {.learner = "der++",
          .learning_rate = 0.03,
          .lambda = 0,
          .alpha = 0.25,
          .beta = 2,
          .memory_batch = 20,
          .steps = 300,
          .policy = "mixed:0.5",
          .replays_current = true,
          .codec = "bits:2"};
}

TEST(Recipe, IsWhatTheMethodFollowsThatItIsAppliedTo) {
  EXPECT_EQ(recipe_of(with(Method(), some_recipe())), some_recipe());
  Recipe er = some_recipe();
  er.learner = "er";
  er.lambda = 0.5;
  er.alpha = er.beta = 0;
  er.policy = "ring-full";
  er.replays_current = false;
  EXPECT_EQ(recipe_of(with(with(Method(), some_recipe()), er)), er) << "whatever was before";
}

TEST(Recipe, AppliedLeavesTheRestOfTheMethod) {
  Method method;
  method.network.hidden = {7};
  method.memory = 77;
  method.training.batch = 3;
  const Method made = with(method, some_recipe());
  EXPECT_EQ(made.network.hidden, std::vector<int>{7});
  EXPECT_EQ(made.memory, 77);
  EXPECT_EQ(made.training.batch, 3);
  EXPECT_EQ(made.training.steps, 300);
  EXPECT_EQ(made.learner.name, "der++");
}

TEST(Recipe, OfAMethodChangesNothing) {
  for (const char* policy :
       {"reservoir", "ring-full", "mixed:0.3", "mixed:1/cur", "gps:rotation"}) {
    for (const char* learner : {"er", "der", "der++"}) {
      Method method;
      method.learner.name = learner;
      set_policy(method.policy, policy);
      const Method again = with(method, recipe_of(method));
      const Outlook outlook{.stream = "p-mnist", .tasks = 10};
      EXPECT_EQ(to_json(again, outlook), to_json(method, outlook)) << learner << " " << policy;
    }
  }
}

TEST(Recipe, IsTheSameAfterJson) {
  EXPECT_EQ(recipe_from_json(to_json(some_recipe())), some_recipe());
  EXPECT_THROW(recipe_from_json({{"learner", "er"}}), DataError);
  nlohmann::json wrong = to_json(some_recipe());
  wrong["learner"] = "nobody";
  EXPECT_THROW(recipe_from_json(wrong), DataError);
}

TEST(Recipe, IsShownWithWhatHasAnEffect) {
  EXPECT_EQ(label_of(some_recipe()),
            "der++, lr 0.03, alpha 0.25, beta 2, 300 steps, memory batch 20, mixed:0.5 running, "
            "bits:2");
  EXPECT_EQ(label_of(Recipe()), "er, lr 0.1, memory batch 10, mixed:1");
}

TEST(RecipeKnobs, AreNamedInOneOrder) {
  EXPECT_EQ(knobs_from("all").size(), recipe_knobs().size());
  EXPECT_THAT(knobs_from("length,lr"), ElementsAre("lr", "length"));
  EXPECT_THAT(knobs_from("lr,lr"), ElementsAre("lr"));
}

TEST(RecipeKnobs, UnknownOnesAreRefusedByName) {
  for (const char* text : {"", "lr,", "speed", "lr,speed", "all,lr"}) {
    try {
      knobs_from(text);
      FAIL() << text;
    } catch (const OptionError& error) {
      EXPECT_EQ(error.flag(), "plan");
      EXPECT_THAT(error.what(), HasSubstr("known: all, learner, lr"));
    }
  }
}

}  // namespace recipe_test
}  // namespace gps
