// The search for a recipe, as a pure function over any score. It knows nothing about learning.
//
// It opens with the coarse choices at the shortest length: which learner, and the order of
// magnitude of the learning rate. Then it makes training longer step by step, with fewer and fewer
// of the learners and rates that were best so far, as long as that pays. The other knobs are turned
// at short lengths, where a trial is cheap. A recipe that needs more work than is left is not
// tried.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gps/experiments/planning/recipe.h"

namespace gps {

// Within which bounds recipes are searched.
struct RecipeScope {
  std::vector<std::string> knobs;  // those that may change (recipe_knobs())
  int shortest = 1;                // steps of a task
  int longest = 1;
  bool counts_bytes = false;             // whether a codec that is smaller makes room for more
  std::vector<std::string> codecs = {};  // those that can be tried

  bool may_change(const std::string& knob) const;
};

struct RecipeTrial {
  Recipe recipe;
  double score = 0;
  bool is_complete = true;  // otherwise it was stopped, and its score is that of a part
  double work = 0;          // that it took

  void persist(Archive& archive) { archive(recipe, score, is_complete, work); }
};

// Scores several recipes at once. Result k belongs to recipe k.
using ScoreRecipes = std::function<std::vector<RecipeTrial>(std::span<const Recipe> recipes)>;
// Returns what it costs to score a recipe.
using CostOfRecipe = std::function<double(const Recipe& recipe)>;

// The recipes that a search starts with: every learner with every order of magnitude of the
// learning rate, at the shortest length. Knobs that may not change keep the value of `base`.
std::vector<Recipe> opening_recipes(const Recipe& base, const RecipeScope& scope);

// The neighbours of a recipe in one knob.
std::vector<Recipe> neighbours(const Recipe& recipe, const std::string& knob,
                               const RecipeScope& scope);

// Returns all trials, the best first: complete ones by their score, then those that were stopped.
// `budget` is in units of `cost`, which is what a recipe takes that is not stopped; the work of a
// trial is what it took. At least the opening is tried. If `is_over` is set and returns true,
// nothing more is tried.
std::vector<RecipeTrial> search_recipes(const Recipe& base, const RecipeScope& scope,
                                        const CostOfRecipe& cost, double budget,
                                        const ScoreRecipes& score,
                                        const std::function<bool()>& is_over = nullptr);

}  // namespace gps
