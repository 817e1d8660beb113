// Policies that look at the learner: at its gradients, its features or its accuracy.
#pragma once

#include "gps/learners/learner.h"
#include "gps/policies/policy.h"

namespace gps {

// Gets the calls below instead of observe() and end_task(), from tell_step(), tell_epoch() and
// tell_end(). It may ask the learner for scores, features and gradients, but does not change θ.
// Policies that need a network call network_of(), which throws if there is none.
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
