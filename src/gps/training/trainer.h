// The one trainer, for reality and for imagination alike: it does not know which of the two it is
// in.
#pragma once

#include <functional>
#include <stdexcept>

#include "gps/core/work/stop.h"
#include "gps/policies/policy.h"

namespace gps {

struct TrainOptions {
  int epochs = 5;
  int batch = 10;
};

// Where training is, between two steps. With the learner, the policy and the memory as they are at
// that time, it is all that the rest of the task depends on.
struct TrainPosition {
  int epoch = 0;              // from 1; 0: the task has not begun
  std::size_t presented = 0;  // examples of this epoch
  std::size_t steps = 0;      // of this task
  Rng for_learner = Rng(0);   // each consumer of randomness has a stream of its own: what the
  Rng for_policy = Rng(0);    // policy draws cannot change the data order

  void persist(Archive& archive) { archive(epoch, presented, steps, for_learner, for_policy); }
};

// What a caller may watch or interrupt. The defaults watch nothing.
struct TrainHooks {
  const StopFlag* stop = nullptr;  // looked at before each step
  std::function<void(int epoch, std::size_t)>
      progress;  // every few hundred steps: epoch (from 1), steps since last
  std::function<void(const TrainPosition&)> before_step = nullptr;
};

// Steps for this many examples: a ragged last batch counts.
std::size_t steps_for(std::size_t examples, const TrainOptions& options);

// θ_i = g(θ_{i-1}, P_i, M_{i-1}): shuffled mini-batches of the task, epoch after epoch; after each
// step the policy may edit the memory. Closing the task (finish_task) is the caller's. Returns
// the number of steps. Throws Interrupted on a stop, and Diverged naming task, epoch and
// step if the loss is no longer finite. Starting from a position that before_step was given goes on
// there.
std::size_t train_task(Learner& learner, MemoryPolicy& policy, Memory& memory, const Task& task,
                       const TrainOptions& options, const Rng& rng, const TrainHooks& hooks = {},
                       TrainPosition at = {});

// Closes the task: the policy builds M_i, what it stored gets the logits that the learner replays,
// and the learner takes leave of the task. `rng` is train_task's.
void finish_task(Learner& learner, MemoryPolicy& policy, Memory& memory, const Task& task,
                 const Rng& rng);

}  // namespace gps
