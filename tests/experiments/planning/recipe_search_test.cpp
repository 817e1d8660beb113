#include "gps/experiments/planning/recipe_search.h"

#include <gmock/gmock.h>

#include <cmath>

namespace gps {
namespace recipe_search_test {

// A made-up world with one best recipe: every knob costs what its distance is worth.
double height(const Recipe& recipe, double best_rate, double best_steps) {
  double score = 0.9;
  score -= 0.10 * std::pow(std::log10(recipe.learning_rate / best_rate), 2);
  score -= 0.10 * std::pow(std::log10(recipe.steps / best_steps), 2);
  if (recipe.learner != "der") score -= 0.05;
  if (recipe.policy != "mixed:0.5") score -= 0.01;
  if (recipe.memory_batch != 20) score -= 0.01;
  if (recipe.codec != "bits:1") score -= 0.02;
  return score;
}

struct World {
  double best_rate = 0.02;
  double best_steps = 1000;
  std::vector<Recipe> asked;

  ScoreRecipes score() {
    return [this](std::span<const Recipe> recipes) {
      std::vector<RecipeTrial> trials;
      for (const Recipe& recipe : recipes) {
        asked.push_back(recipe);
        trials.push_back({recipe, height(recipe, best_rate, best_steps), true,
                          static_cast<double>(recipe.steps)});
      }
      return trials;
    };
  }
};

RecipeScope whole_scope() {
  return {.knobs = knobs_from("all"),
          .shortest = 100,
          .longest = 30000,
          .counts_bytes = true,
          .codecs = {"raw", "bits:2", "bits:1"}};
}

double steps_cost(const Recipe& recipe) { return recipe.steps; }

constexpr double kNoLimit = 1e12;

TEST(RecipeSearch, FindsTheBestOfEveryKnob) {
  for (const double rate : {0.005, 0.02, 0.08}) {
    for (const double steps : {100.0, 1000.0, 10000.0}) {
      World world{.best_rate = rate, .best_steps = steps, .asked = {}};
      const auto trials =
          search_recipes(Recipe(), whole_scope(), steps_cost, kNoLimit, world.score());
      const Recipe& best = trials.front().recipe;
      EXPECT_EQ(best.learner, "der");
      EXPECT_EQ(best.policy, "mixed:0.5");
      EXPECT_EQ(best.memory_batch, 20);
      EXPECT_EQ(best.codec, "bits:1");
      EXPECT_LT(std::abs(std::log10(best.learning_rate / rate)), 0.15) << best.learning_rate;
      EXPECT_LT(std::abs(std::log10(best.steps / steps)), 0.3) << best.steps;
    }
  }
}

TEST(RecipeSearch, TriesNothingTwiceAndSortsByScore) {
  World world;
  const auto trials = search_recipes(Recipe(), whole_scope(), steps_cost, kNoLimit, world.score());
  EXPECT_EQ(trials.size(), world.asked.size());
  std::vector<Recipe> asked = world.asked;
  std::sort(asked.begin(), asked.end());
  EXPECT_EQ(std::adjacent_find(asked.begin(), asked.end()), asked.end());
  for (std::size_t k = 1; k < trials.size(); ++k) EXPECT_GE(trials[k - 1].score, trials[k].score);
}

TEST(RecipeSearch, ChangesOnlyTheKnobsThatItMay) {
  const Recipe base{.learner = "er",
                    .learning_rate = 0.05,
                    .memory_batch = 30,
                    .steps = 700,
                    .policy = "reservoir"};
  RecipeScope scope = whole_scope();
  scope.knobs = {"lr"};
  World world;
  const auto trials = search_recipes(base, scope, steps_cost, kNoLimit, world.score());
  EXPECT_GT(trials.size(), 4u);
  for (const RecipeTrial& trial : trials) {
    Recipe same = trial.recipe;
    same.learning_rate = base.learning_rate;
    EXPECT_EQ(same, base);
  }
}

TEST(RecipeSearch, StaysWithinItsBudgetAfterTheOpening) {
  for (const double budget : {0.0, 1000.0, 5000.0, 20000.0}) {
    World world;
    search_recipes(Recipe(), whole_scope(), steps_cost, budget, world.score());
    double spent = 0;
    for (const Recipe& recipe : world.asked) spent += steps_cost(recipe);
    const auto opening = opening_recipes(Recipe(), whole_scope());
    EXPECT_LE(spent, std::max(budget, 100.0 * static_cast<double>(opening.size())));
  }
}

TEST(RecipeSearch, NeverPrefersOneThatWasStopped) {
  const ScoreRecipes score = [](std::span<const Recipe> recipes) {
    std::vector<RecipeTrial> trials;
    for (const Recipe& recipe : recipes)
      trials.push_back({recipe, recipe.learner == "er" ? 0.5 : 0.9, recipe.learner == "er",
                        static_cast<double>(recipe.steps)});
    return trials;
  };
  const auto trials = search_recipes(Recipe(), whole_scope(), steps_cost, 1000, score);
  EXPECT_EQ(trials.front().recipe.learner, "er");
}

TEST(RecipeSearch, KeepsLengthsWithinTheirBounds) {
  World world{.best_rate = 0.02, .best_steps = 1e9, .asked = {}};
  search_recipes(Recipe(), whole_scope(), steps_cost, kNoLimit, world.score());
  for (const Recipe& recipe : world.asked) {
    EXPECT_GE(recipe.steps, 100);
    EXPECT_LE(recipe.steps, 30000);
  }
}

}  // namespace recipe_search_test
}  // namespace gps
