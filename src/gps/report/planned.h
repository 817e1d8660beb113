// The plan of a run for people: what was chosen, what it was expected to reach and what it reached,
// and the candidates.
#pragma once

#include <string>

#include "gps/experiments/result.h"
#include "gps/experiments/stream_plan.h"
#include "gps/report/tables/table.h"

namespace gps {

// Returns for example "expected 83.0 to 87.2 %, reached 84.3 %", or "nothing was predicted, reached
// 62.1 %". Empty for a run without a plan.
std::string prediction_text(const RunResult& result);

// Returns one row for each choice: the tasks that it holds for, how many candidates were tried and
// how many of them were stopped early, the work of that in steps, and what was chosen. If something
// was predicted, there are columns for the accuracy that was expected, with its interval, and for
// the one that was reached. Without rows for a run without a plan.
Table plan_table(const RunResult& result);

// Returns the best candidates of each choice, at most `most` of those that were tried to the end,
// and the chosen one. Accuracies are those of the trials. There is a column for the task if there
// are several choices. Without rows if nothing was tried.
Table candidates_table(const PlanRecord& plan, std::size_t most);

// Returns lines for a plan that is not followed yet: what was chosen and what it should reach, the
// time of planning, the best candidates, and what to know about streams with new classes. The
// command that follows it is not among them.
std::string plan_text(const StreamPlan& plan);

// Returns the number of candidates that were stopped early.
std::size_t stopped_in(const RecipeChoice& choice);

// Returns the last task that choice k holds for.
int last_task_of(const RunResult& result, std::size_t k);

}  // namespace gps
