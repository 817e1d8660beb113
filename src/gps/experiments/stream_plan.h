// A plan for a stream of which nothing has been learnt yet: what `gpscl plan` and gpscl.plan() of
// the Python module make.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gps/core/work/clock.h"
#include "gps/experiments/spec/spec_planning.h"

namespace gps {

// What planning may cost. Nothing given: as much as in a run.
struct PlanBudget {
  std::string percent;  // for the option `plan-budget`
  double seconds = 0;   // 0: no limit
};

// Reads "10%" or "60s"; an empty text is an empty budget. Throws OptionError for `budget`.
PlanBudget plan_budget_from(const std::string& text);

struct StreamPlan {
  Spec spec;  // follows the plan, and plans nothing itself
  std::uint64_t seed = 0;
  RecipeChoice choice;
  double seconds = 0;  // that planning took
};

// Makes the plan of run() for this spec and seed. If it takes longer than `most_seconds` (0: no
// limit), the search ends, and the plan is the best by then. Calls tried(how many, seconds) after
// each trial, on any thread but one call at a time. REQUIRES: the spec plans something.
StreamPlan make_stream_plan(const Spec& spec, std::uint64_t seed, const Benchmark& benchmark,
                            Executor& executor, const StopFlag* stop, double most_seconds,
                            const std::function<void(std::size_t, double)>& tried,
                            const Clock& clock = steady_seconds);

// Returns the command that follows the plan.
std::string command_of(const StreamPlan& plan);

// Returns the JSON of a plan record (docs/result-format.md), with the command and the seconds.
nlohmann::json to_json(const StreamPlan& plan);

}  // namespace gps
