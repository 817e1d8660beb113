#include "gps/experiments/planning/recipe_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace gps {
namespace {

constexpr std::array kRates = {0.01, 0.03, 0.1};
constexpr double kRateStep = 3.1622776601683795;  // half an order of magnitude

// Two digits are enough for a rate or a weight.
double rounded(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 1);
  const double digits = std::round(value / unit);
  // A quotient of whole numbers is the nearest double to the decimal; a product would not be.
  return unit >= 1 ? digits * unit : digits / std::round(1 / unit);
}

Recipe for_learner(Recipe recipe, const std::string& learner) {
  recipe.learner = learner;
  recipe.lambda = learner == "er" ? 1 : 0;
  recipe.alpha = learner == "er" ? 0 : 0.5;
  recipe.beta = learner == "der++" ? 0.5 : 0;
  return recipe;
}

Recipe with_rate(Recipe recipe, double factor) {
  recipe.learning_rate = rounded(recipe.learning_rate * factor);
  return recipe;
}

Recipe with_length(Recipe recipe, double factor, const RecipeScope& scope) {
  const double steps = std::round(recipe.steps * factor);
  recipe.steps = static_cast<int>(
      std::clamp(steps, static_cast<double>(scope.shortest), static_cast<double>(scope.longest)));
  return recipe;
}

std::vector<Recipe> other_weights(const Recipe& recipe) {
  std::vector<Recipe> all;
  const auto vary = [&](double Recipe::*weight) {
    for (const double factor : {0.5, 2.0}) {
      all.push_back(recipe);
      all.back().*weight = rounded(recipe.*weight * factor);
    }
  };
  if (recipe.lambda > 0) vary(&Recipe::lambda);
  if (recipe.alpha > 0) vary(&Recipe::alpha);
  if (recipe.beta > 0) vary(&Recipe::beta);
  return all;
}

std::vector<Recipe> other_policies(const Recipe& recipe) {
  std::vector<Recipe> all;
  const auto add = [&](const char* policy, bool replays_current) {
    all.push_back(recipe);
    all.back().policy = policy;
    all.back().replays_current = replays_current;
  };
  for (const bool replays_current : {false, true}) {
    for (const char* policy : {"mixed:0", "mixed:0.5", "mixed:1"}) add(policy, replays_current);
  }
  add("ring-full", false);
  return all;
}

}  // namespace

bool RecipeScope::may_change(const std::string& knob) const {
  return std::find(knobs.begin(), knobs.end(), knob) != knobs.end();
}

std::vector<Recipe> opening_recipes(const Recipe& base, const RecipeScope& scope) {
  Recipe start = base;
  if (scope.may_change("length")) start.steps = scope.shortest;
  if (scope.may_change("policy")) {
    start.policy = "mixed:1";
    start.replays_current = false;
  }
  std::vector<Recipe> learners = {start};
  if (scope.may_change("learner"))
    learners = {for_learner(start, "er"), for_learner(start, "der"), for_learner(start, "der++")};
  std::vector<Recipe> all;
  for (const Recipe& each : learners) {
    if (!scope.may_change("lr")) {
      all.push_back(each);
      continue;
    }
    for (const double rate : kRates) {
      all.push_back(each);
      all.back().learning_rate = rate;
    }
  }
  return all;
}

std::vector<Recipe> neighbours(const Recipe& recipe, const std::string& knob,
                               const RecipeScope& scope) {
  std::vector<Recipe> all;
  if (knob == "learner") {
    for (const char* name : {"er", "der", "der++"}) {
      if (recipe.learner != name) all.push_back(for_learner(recipe, name));
    }
  } else if (knob == "lr") {
    all = {with_rate(recipe, 1 / kRateStep), with_rate(recipe, kRateStep), with_rate(recipe, 0.6),
           with_rate(recipe, 1.6)};
  } else if (knob == "length") {
    all = {with_length(recipe, 1 / kRateStep, scope), with_length(recipe, kRateStep, scope)};
  } else if (knob == "weights") {
    all = other_weights(recipe);
  } else if (knob == "memory-batch") {
    for (const int factor : {2, 4}) {
      all.push_back(recipe);
      all.back().memory_batch = recipe.memory_batch * factor;
    }
    if (recipe.memory_batch > 1) {
      all.push_back(recipe);
      all.back().memory_batch = recipe.memory_batch / 2;
    }
  } else if (knob == "policy") {
    all = other_policies(recipe);
  } else if (knob == "codec" && scope.counts_bytes) {
    for (const std::string& codec : scope.codecs) {
      all.push_back(recipe);
      all.back().codec = codec;
    }
  }
  std::erase(all, recipe);
  return all;
}

namespace {

// One search: what was tried, and what may still be spent.
class RecipeSearch {
 public:
  RecipeSearch(const RecipeScope& scope, const CostOfRecipe& cost, double budget,
               const ScoreRecipes& score, const std::function<bool()>& is_over)
      : scope_(scope), cost_(cost), left_(budget), score_(score), is_over_(is_over) {}

  // Tries those of the recipes that are new and affordable, in their order. Returns whether there
  // is a new best one.
  bool attempt(const std::vector<Recipe>& some, bool is_opening = false) {
    std::vector<Recipe> open;
    for (const Recipe& each : some) {
      const double cost = cost_(each);
      if (tried_.contains(each) || (!is_opening && cost > left_)) continue;
      tried_.insert(each);
      left_ -= cost;
      open.push_back(each);
    }
    if (open.empty() || (!is_opening && is_over_ && is_over_())) return false;
    const double before = trials_.empty() ? -1 : best().score;
    const std::vector<RecipeTrial> more = score_(open);
    for (const RecipeTrial& trial : more) left_ += cost_(trial.recipe) - trial.work;
    trials_.insert(trials_.end(), more.begin(), more.end());
    std::stable_sort(trials_.begin(), trials_.end(),
                     [](const RecipeTrial& a, const RecipeTrial& b) {
                       return a.is_complete != b.is_complete ? a.is_complete : a.score > b.score;
                     });
    return best().score > before;
  }

  // Tries the neighbours of the best recipe in one knob.
  bool turn(const std::string& knob) {
    return scope_.may_change(knob) && attempt(neighbours(best().recipe, knob, scope_));
  }

  // Tries the best recipe with three times the length, and with the learners and rates that were
  // best beside it at its present length: which is best may change with the length.
  bool lengthen(std::size_t most) {
    if (!scope_.may_change("length")) return false;
    const Recipe& now = best().recipe;
    std::vector<Recipe> longer;
    for (const RecipeTrial& trial : trials_) {
      if (longer.size() == most || !trial.is_complete) break;
      if (trial.recipe.steps != now.steps) continue;
      Recipe next = now;
      if (trial.recipe.learner != now.learner) next = for_learner(next, trial.recipe.learner);
      next.learning_rate = trial.recipe.learning_rate;
      next = with_length(next, kRateStep, scope_);
      if (std::find(longer.begin(), longer.end(), next) == longer.end()) longer.push_back(next);
    }
    return attempt(longer);
  }

  const std::vector<RecipeTrial>& trials() const { return trials_; }

 private:
  const RecipeTrial& best() const { return trials_.front(); }

  const RecipeScope& scope_;
  const CostOfRecipe& cost_;
  double left_;
  const ScoreRecipes& score_;
  const std::function<bool()>& is_over_;
  std::vector<RecipeTrial> trials_;  // the best first
  std::set<Recipe> tried_;
};

}  // namespace

std::vector<RecipeTrial> search_recipes(const Recipe& base, const RecipeScope& scope,
                                        const CostOfRecipe& cost, double budget,
                                        const ScoreRecipes& score,
                                        const std::function<bool()>& is_over) {
  RecipeSearch search(scope, cost, budget, score, is_over);
  search.attempt(opening_recipes(base, scope), /*is_opening=*/true);
  // What an example costs in bytes changes how many there are, and with it what is best for all
  // else. What the memory keeps is decided at a short length, where that is cheap. Weights and the
  // memory batch are worth less than the length, and come last.
  search.turn("codec");
  bool pays = search.lengthen(6);
  search.turn("policy");
  if (pays) pays = search.lengthen(4);
  search.turn("codec");
  for (const std::size_t most : {3U, 2U, 1U, 1U, 1U}) {
    if (!pays) break;
    pays = search.lengthen(most);
  }
  search.turn("lr");
  search.turn("weights");
  search.turn("memory-batch");
  search.turn("length");
  return search.trials();
}

}  // namespace gps
