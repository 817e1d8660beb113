// Policies that look at the learner: at its gradients, its features, or at how well it does.
#pragma once

#include "gps/learners/learner.h"
#include "gps/policies/policy.h"

namespace gps {

// Told these instead of observe() and end_task() (tell_step(), tell_epoch(), tell_end()). It may
// ask the learner for scores, features and gradients, and does not change θ. Those that need a
// network ask for it (network_of(), which throws where there is none).
class WatchingPolicy : public MemoryPolicy {
 public:
  virtual void watch(Memory& memory, const Batch& batch, Learner& /*learner*/, Rng& rng) {
    observe(memory, batch, rng);
  }
  virtual void watch_epoch(Memory& /*memory*/, const Task& /*task*/, const Learner& /*learner*/,
                           int /*epoch*/, int /*epochs*/, const Rng& /*rng*/) {}
  virtual void watch_end(Memory& memory, const Task& task, const Learner& /*learner*/,
                         const Rng& rng) {
    end_task(memory, task, rng);
  }

  WatchingPolicy* as_watching() final { return this; }
};

}  // namespace gps
