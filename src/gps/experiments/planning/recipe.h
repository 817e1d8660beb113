// A recipe: the decision about how a task is learnt. It is what the planner compares and chooses,
// as a Plan (memory/plan.h) is what GPS compares and chooses for the memory of a task. A recipe is
// applied to a method and replaces the parts of it that it names.
#pragma once

#include <compare>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gps/experiments/method.h"

namespace gps {

struct Recipe {
  std::string learner = "er";
  double learning_rate = 0.1;
  // The weights of the learner's loss. Those that the learner does not have are ignored.
  double lambda = 1;  // er
  double alpha = 0;   // der, der++
  double beta = 0;    // der++
  int memory_batch = 10;
  int steps = 0;  // of a task; 0: as many as the epochs of the method make
  std::string policy = "mixed:1";
  bool replays_current = false;  // mixed: replay the task that is being learnt, too
  std::string codec = "raw";

  auto operator<=>(const Recipe&) const = default;
  void persist(Archive& archive);
};

// Returns the recipe that the method follows. REQUIRES: its learner replays.
Recipe recipe_of(const Method& method);

// Returns the method with the parts that the recipe names. Throws UsageError for names that do not
// exist.
Method with(Method method, const Recipe& recipe);

// The same for trials. A search within a trial would cost more than it can tell, so that the policy
// gps is replaced by mixed:0.5.
Method for_trial(const Method& method, const Recipe& recipe);

// What a recipe is made of, as `gpscl run --plan` names it.
struct RecipeKnob {
  const char* name;     // "lr"
  const char* meaning;  // "the learning rate"
  // Options whose values a user gives instead of letting the planner choose.
  std::vector<std::string> flags;
};
const std::vector<RecipeKnob>& recipe_knobs();

// Parses a list of knobs: "all", or names separated by commas. Throws OptionError, for the option
// `plan`, which names the unknown one. Keeps the order of recipe_knobs().
std::vector<std::string> knobs_from(const std::string& text);

// Returns for example "der, lr 0.03, alpha 0.5, 1000 steps, mixed:1".
std::string label_of(const Recipe& recipe);

// Only what has an effect for the learner and the policy.
nlohmann::json to_json(const Recipe& recipe);
// Throws DataError for JSON that is no recipe.
Recipe recipe_from_json(const nlohmann::json& json);

}  // namespace gps
