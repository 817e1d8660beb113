// The training loop, for real runs and for simulations. It does not know which of the two it is in.
#pragma once

#include <functional>
#include <limits>
#include <stdexcept>

#include "gps/core/work/stop.h"
#include "gps/policies/policy.h"

namespace gps {

struct TrainOptions {
  int epochs = 5;
  int batch = 10;
  int steps = 0;  // of a task, over as many passes as needed; 0: as many as the epochs make
};

// The position of training between two steps. Together with the learner, the policy and the memory
// at that time, it determines the rest of the task.
struct TrainPosition {
  int epoch = 0;              // from 1; 0: the task has not begun
  std::size_t presented = 0;  // examples presented in this epoch
  std::size_t steps = 0;      // taken in this task
  Rng for_learner = Rng(0);   // each consumer of randomness has a stream of its own: what the
  Rng for_policy = Rng(0);    // policy draws cannot change the data order

  void persist(Archive& archive) {
    archive.between(epoch, 0, std::numeric_limits<int>::max() - 1, "epoch");
    archive(presented, steps, for_learner, for_policy);
  }
};

// Lets a caller watch or stop training. All hooks are optional.
struct TrainHooks {
  const StopFlag* stop = nullptr;  // checked before each step
  std::function<void(int epoch, std::size_t)>
      progress;  // every few hundred steps: epoch (from 1), steps since the last call
  std::function<void(const TrainPosition&)> before_step = nullptr;
};

// Returns the number of steps for this many examples, over all epochs. A smaller last batch counts
// as a step.
std::size_t steps_for(std::size_t examples, const TrainOptions& options);

// Returns the number of passes over this many examples. The last one is cut short if options.steps
// ends before it.
int passes_for(std::size_t examples, const TrainOptions& options);

// Trains on a task: θ_i = g(θ_{i-1}, P_i, M_{i-1}). Presents shuffled mini-batches of the task,
// epoch after epoch; after each step the policy may edit the memory. Does not close the task: the
// caller calls finish_task(). Returns the number of steps. Throws Interrupted on a stop request,
// and Diverged, naming task, epoch and step, if the loss or a weight is no longer finite. To
// continue a task, pass a position that before_step received as `at`.
std::size_t train_task(Learner& learner, MemoryPolicy& policy, Memory& memory, const Task& task,
                       const TrainOptions& options, const Rng& rng, const TrainHooks& hooks = {},
                       TrainPosition at = {});

// Closes the task: the policy builds M_i, stored examples get the logits that the learner replays,
// and the learner ends the task. `rng` is the one given to train_task().
void finish_task(Learner& learner, MemoryPolicy& policy, Memory& memory, const Task& task,
                 const Rng& rng);

}  // namespace gps
