#include "gps/report/planned.h"

#include <fmt/format.h>

#include <algorithm>

#include "gps/core/text/printable.h"
#include "gps/experiments/prediction.h"

namespace gps {
namespace {

Cell expected_cell(const std::optional<Expected>& expected) {
  if (!expected) return Cell::missing();
  return Cell::within(100 * expected->accuracy, 1, {100 * expected->low, 100 * expected->high}, 1);
}

// Returns the best candidates that were tried to the end, and the chosen one.
std::vector<const RecipeTrial*> best_of(const RecipeChoice& choice, std::size_t most) {
  std::vector<const RecipeTrial*> best;
  std::size_t complete = 0;
  for (const RecipeTrial& trial : choice.trials) {
    const bool is_among_best = trial.is_complete && complete++ < most;
    if (is_among_best || trial.recipe == choice.recipe) best.push_back(&trial);
  }
  return best;
}

}  // namespace

std::size_t stopped_in(const RecipeChoice& choice) {
  return static_cast<std::size_t>(
      std::count_if(choice.trials.begin(), choice.trials.end(),
                    [](const RecipeTrial& trial) { return !trial.is_complete; }));
}

int last_task_of(const RunResult& result, std::size_t k) {
  const std::vector<RecipeChoice>& choices = result.plan.choices;
  return k + 1 < choices.size() ? choices[k + 1].task - 1 : result.spec.benchmark.tasks;
}

std::string prediction_text(const RunResult& result) {
  if (result.plan.is_empty()) return "";
  const std::string reached = fmt::format("reached {:.1f} %", 100 * planned_for(result));
  const std::optional<Prediction> prediction = prediction_of(result);
  if (!prediction) return "nothing was predicted, " + reached;
  const Expected& expected = prediction->expected;
  return fmt::format("expected {:.1f} to {:.1f} %, {}", 100 * expected.low, 100 * expected.high,
                     reached);
}

Table plan_table(const RunResult& result) {
  const bool has_prediction = prediction_of(result).has_value();
  Table table = {"tasks"};
  if (has_prediction) {
    table.columns.emplace_back("expected", "%");
    table.columns.emplace_back("reached", "%");
  }
  for (const char* head : {"tried", "stopped early", "steps of planning", "chosen"})
    table.columns.emplace_back(head);
  for (std::size_t k = 0; k < result.plan.choices.size(); ++k) {
    const RecipeChoice& choice = result.plan.choices[k];
    const int last = last_task_of(result, k);
    Row row = {last > choice.task ? fmt::format("{} to {}", choice.task, last)
                                  : fmt::format("{}", choice.task)};
    if (has_prediction) {
      row.push_back(expected_cell(choice.expected));
      row.push_back(choice.expected ? Cell::percent(planned_for(result), 1) : Cell::missing());
    }
    row.push_back(Cell::count(choice.trials.size()));
    row.push_back(Cell::count(stopped_in(choice)));
    row.push_back(Cell::number(choice.work, 0));
    row.emplace_back(label_of(choice.recipe));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table candidates_table(const PlanRecord& plan, std::size_t most) {
  const bool has_several = plan.choices.size() > 1;
  Table table;
  if (has_several) table.columns.emplace_back("before task");
  table.columns.emplace_back("accuracy", "%");
  table.columns.emplace_back("candidate");
  table.columns.emplace_back("chosen");
  for (const RecipeChoice& choice : plan.choices) {
    for (const RecipeTrial* trial : best_of(choice, most)) {
      Row row;
      if (has_several) row.push_back(Cell::count(choice.task));
      row.push_back(Cell::percent(trial->score, 1));
      row.emplace_back(label_of(trial->recipe));
      row.push_back(trial->recipe == choice.recipe ? Cell("yes") : Cell::nothing());
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

std::string plan_text(const StreamPlan& plan) {
  constexpr std::size_t kShown = 12;
  std::string text;
  for (const std::string& line : describe(plan.choice)) text += printable(line) + "\n";
  text += fmt::format("planning took {:.1f} s\n", plan.seconds);
  const Table candidates = candidates_table({{plan.choice}}, kShown);
  if (!candidates.is_empty()) {
    const char* where =
        is_split(plan.spec.benchmark) ? "classes of the first task" : "an imagined stream";
    text += fmt::format(
        "\nThe best of {} settings that were tried on {} ({} were stopped early)\n\n{}",
        plan.choice.trials.size(), where, stopped_in(plan.choice), text_table(candidates));
  }
  if (is_split(plan.spec.benchmark)) {
    text +=
        "\nTasks of this stream bring new classes, of which the first task says nothing. These are "
        "safe\nsettings for it; gpscl run --plan tries other learning rates and lengths before "
        "each "
        "later task.\n";
  }
  return text;
}

}  // namespace gps
