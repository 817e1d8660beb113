// Planned learning: chooses how to learn (learner, learning rate, length, weights, memory) before
// the tasks are learnt, from what is known by then, so that a user need not give hyper-parameters.
//
// Streams whose tasks have the same classes: before the first task, the whole stream is imagined
// from it (experiments/planning/imagined_stream.h), and recipes are rehearsed on it from the first
// task to the last. The best ones are rehearsed again on a second imagined stream, and the better
// of both together is chosen. What it reached is what the plan predicts.
//
// Streams whose tasks bring new classes: permuted images of one task say little about telling its
// classes from other ones. The first task is learnt with safe settings. Before each later task, a
// few recipes are tried on the task itself (experiments/planning/transition.h), and the evidence of
// all tasks so far decides. The codec is chosen before the first task, by what a memory of it
// teaches alone (experiments/planning/codec_trial.h).
//
// The planner gets one task at a time and no test data, by its types.
#pragma once

#include <functional>

#include "gps/core/work/executor.h"
#include "gps/experiments/planning/plan_record.h"
#include "gps/experiments/planning/planning_options.h"
#include "gps/experiments/planning/rehearsal.h"

namespace gps {

// What a planner must know besides the task.
struct PlanningNeeds {
  PlanningOptions options;
  Method method;  // as given; recipes replace parts of it
  int tasks = 0;  // T
  bool is_split = false;
  int classes = 0;
  std::function<std::unique_ptr<Network>(const Rng&)> make_network;
  const StopFlag* stop = nullptr;
  // Called for each recipe that was tried.
  std::function<void(const Recipe&)> tried = nullptr;
  // If set, the search ends when it returns true. The plan then depends on when it does.
  std::function<bool()> is_over = nullptr;
};

// Returns the recipe for the first task, and for all others of a stream whose tasks have the same
// classes. REQUIRES: options.knobs is not empty, and the learner replays.
RecipeChoice plan_stream(const Task& first, const PlanningNeeds& needs, Executor& executor,
                         const Rng& rng);

// Returns the recipe for a later task of a stream whose tasks bring new classes. `learner` and
// `memory` are as they are before the task. `before` are the choices so far.
RecipeChoice plan_task(const Task& task, const Learner& learner, const Memory& memory,
                       std::span<const RecipeChoice> before, const PlanningNeeds& needs,
                       Executor& executor, const Rng& rng);

}  // namespace gps
