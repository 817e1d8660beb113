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

std::vector<Recipe> other_lengths(const Recipe& recipe, const RecipeScope& scope) {
  const bool may_slow = scope.may_change("lr");
  std::vector<Recipe> all = {with_length(recipe, 1 / kRateStep, scope),
                             with_length(recipe, kRateStep, scope)};
  // Longer training wants a smaller rate.
  if (may_slow) {
    all.push_back(with_rate(all[1], 1 / kRateStep));
    all.push_back(with_rate(with_length(recipe, kRateStep * kRateStep, scope), 1 / kRateStep));
  }
  return all;
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
    all = other_lengths(recipe, scope);
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

std::vector<RecipeTrial> search_recipes(const Recipe& base, const RecipeScope& scope,
                                        const CostOfRecipe& cost, double budget, int passes,
                                        const ScoreRecipes& score,
                                        const std::function<bool()>& is_over) {
  std::vector<RecipeTrial> trials;
  std::set<Recipe> tried;
  double left = budget;
  const auto sort = [&] {
    std::stable_sort(trials.begin(), trials.end(), [](const RecipeTrial& a, const RecipeTrial& b) {
      return a.is_complete != b.is_complete ? a.is_complete : a.score > b.score;
    });
  };
  // Returns whether there is a new best recipe.
  const auto attempt = [&](std::vector<Recipe> some, bool is_opening) {
    std::stable_sort(some.begin(), some.end(),
                     [&](const Recipe& a, const Recipe& b) { return cost(a) < cost(b); });
    std::vector<Recipe> affordable;
    for (const Recipe& each : some) {
      if (tried.contains(each) || (!is_opening && cost(each) > left)) continue;
      tried.insert(each);
      left -= cost(each);
      affordable.push_back(each);
    }
    if (affordable.empty() || (!is_opening && is_over && is_over())) return false;
    const double best = trials.empty() ? -1 : trials.front().score;
    const std::vector<RecipeTrial> more = score(affordable);
    for (const RecipeTrial& trial : more) left += cost(trial.recipe) - trial.work;
    trials.insert(trials.end(), more.begin(), more.end());
    sort();
    return trials.front().score > best;
  };
  attempt(opening_recipes(base, scope), /*is_opening=*/true);
  // What an example costs in bytes changes how many there are, and with it what is best for the
  // other knobs: it comes first.
  const std::array order = {"codec",  "length",  "learner",     "lr",
                            "policy", "weights", "memory-batch"};
  for (int pass = 0; pass < passes; ++pass) {
    bool is_better = false;
    for (const std::string knob : order) {
      if (!scope.may_change(knob)) continue;
      // Lengths go on as long as that pays.
      while (attempt(neighbours(trials.front().recipe, knob, scope), false)) {
        is_better = true;
        if (knob != "length" && knob != "lr") break;
      }
    }
    if (!is_better) break;
  }
  return trials;
}

}  // namespace gps
