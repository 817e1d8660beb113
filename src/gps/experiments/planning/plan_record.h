// What a planner decided for a run, what it expects, and what it tried: for people, results and
// checkpoints.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "gps/experiments/planning/recipe_search.h"

namespace gps {

// An accuracy with an interval.
struct Expected {
  double accuracy = 0;
  double low = 0;
  double high = 1;

  void persist(Archive& archive) { archive(accuracy, low, high); }
};

// What was decided before a task was learnt.
struct RecipeChoice {
  int task = 1;
  Recipe recipe;
  std::vector<RecipeTrial> trials;   // the best first
  std::optional<Expected> expected;  // after the last task of the stream; nothing: not predicted
  double work = 0;                   // steps of er that the trials took
  int pass = 1;                      // steps of one pass over the task

  void persist(Archive& archive) { archive(task, recipe, trials, expected, work, pass); }
};

struct PlanRecord {
  std::vector<RecipeChoice> choices;  // by task; a choice holds until the next one

  // REQUIRES: there is a choice.
  const Recipe& recipe() const { return choices.back().recipe; }
  bool is_empty() const { return choices.empty(); }
  void persist(Archive& archive) { archive(choices); }
};

nlohmann::json to_json(const PlanRecord& record);
// Throws DataError for JSON that is no record.
PlanRecord plan_record_from_json(const nlohmann::json& json);

// Returns the choice in a few lines: what was chosen, what it is expected to reach, the runners-up
// and what planning cost.
std::vector<std::string> describe(const RecipeChoice& choice);

}  // namespace gps
