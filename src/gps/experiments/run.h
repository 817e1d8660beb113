// One run: a spec and a seed in, a result out.
#pragma once

#include <functional>

#include "gps/experiments/checkpoint.h"
#include "gps/experiments/result.h"

namespace gps {

struct RunProgress {
  int task = 0;  // task being learnt, from 1
  int tasks = 0;
  int epoch = 0;
  int epochs = 0;
  bool is_simulating = false;
  bool is_planning = false;
  std::size_t futures_tried = 0;  // candidates simulated so far after this task, or recipes tried
                                  // so far before it
  std::size_t futures_most = 0;   // candidates that may be simulated after this task; 0: not known
  bool is_testing = false;
  std::size_t tested = 0;      // images tested so far, after this task or before the first
  std::size_t tests = 0;       // images that are tested then
  std::size_t steps_done = 0;  // real training steps
  std::size_t steps_expected = 0;
  std::optional<double> accuracy;        // mean over the tasks seen so far, at task ends
  std::optional<double> among_all = {};  // the same among all classes, if tasks have their own
};

struct RunHooks {
  const StopFlag* stop = nullptr;
  // Is never called twice at the same time for one run, but possibly on different threads.
  std::function<void(const RunProgress&)> progress = nullptr;
  // The checkpoints of the run, or null for none. The run continues from a checkpoint that it
  // finds. Checkpoints are written at the end of each task, within tasks when they are due, and
  // when the run is stopped.
  Checkpoints* checkpoints = nullptr;
  // Called after the last task, for callers that need more than the result.
  std::function<void(const RunResult&, const Learner&, const Memory&, const ImageShape&)> finished =
      nullptr;
  // Called when something was planned, before the task is trained.
  std::function<void(const RecipeChoice&)> planned = nullptr;
  // If set, all members of the team do this run together and divide the candidates of each search.
  // REQUIRES: called within Team::together(), and without checkpoints.
  Team* team = nullptr;
};

// The same spec and seed give the same result except for times, for any executor, and also if the
// run is interrupted and resumed; times add up over resumes. Throws what validate() and
// train_task() throw; with a team also TeamError, if the weights differ at the end of a task.
RunResult run(const Spec& spec, std::uint64_t seed, const BenchmarkSource& source,
              Executor& executor, const RunHooks& hooks = {});

}  // namespace gps
