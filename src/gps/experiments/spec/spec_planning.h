// What the planner must know about a run (experiments/planning/planner.h).
#pragma once

#include "gps/benchmarks/benchmark.h"
#include "gps/experiments/planning/planner.h"
#include "gps/experiments/spec/spec.h"

namespace gps {

// The needs of this spec on this stream, of which only facts that hold for all tasks are used: its
// shape, its classes, the number of its tasks. REQUIRES: the benchmark and the stop flag outlive
// the needs.
PlanningNeeds planning_needs(const Spec& spec, const Benchmark& benchmark, const StopFlag* stop);

// The plan that run() makes before the first task of the stream. `limit`, if set, tells the planner
// to end the search soon when it returns true; the plan is then not that of run().
RecipeChoice plan_first_task(const Spec& spec, std::uint64_t seed, const Benchmark& benchmark,
                             Executor& executor, const StopFlag* stop,
                             std::function<bool()> limit = nullptr,
                             std::function<void(const Recipe&)> tried = nullptr);

// The stream of random numbers of the plan before this task.
Rng plan_rng(std::uint64_t seed, int task);

}  // namespace gps
