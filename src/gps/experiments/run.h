// One run: a spec and a seed in, a result out.
#pragma once

#include <functional>

#include "gps/experiments/checkpoint.h"
#include "gps/experiments/result.h"

namespace gps {

struct RunProgress {
  int task = 0;  // being learnt, from 1
  int tasks = 0;
  int epoch = 0;
  int epochs = 0;
  bool is_simulating = false;
  std::size_t futures_tried = 0;  // candidates simulated after this task, so far
  std::size_t steps_done = 0;     // real training steps
  std::size_t steps_expected = 0;
  std::optional<double> accuracy;  // mean over the tasks seen so far, at task ends
};

struct RunHooks {
  const StopFlag* stop = nullptr;
  // Never called twice at a time for one run, but not always on the same thread.
  std::function<void(const RunProgress&)> progress = nullptr;
  // Where the run keeps its checkpoints; it continues from one that it finds there. Null: no
  // checkpoints. They are written at the end of each task, within tasks when they are due, and when
  // the run is stopped.
  Checkpoints* checkpoints = nullptr;
  // What is left when the last task has been learnt: for whoever wants more than the result.
  std::function<void(const RunResult&, const Learner&, const Memory&, const ImageShape&)> finished =
      nullptr;
  // All of whose members do this run, dividing the candidates of each search. REQUIRES: called
  // within Team::together(), and without checkpoints.
  Team* team = nullptr;
};

// The same spec and seed give the same result but for times, whatever the executor, and whether it
// was interrupted and resumed or not; times add up over resumes. Throws what validate() and
// train_task() throw; with a team also TeamError, if the weights differ when a task has ended.
RunResult run(const Spec& spec, std::uint64_t seed, const BenchmarkSource& source,
              Executor& executor, const RunHooks& hooks = {});

}  // namespace gps
