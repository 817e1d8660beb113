#include "gps/policies/watching.h"

namespace gps {

void tell_step(MemoryPolicy& policy, Memory& memory, const Batch& batch, Learner& learner,
               Rng& rng) {
  if (WatchingPolicy* const watching = policy.as_watching()) {
    watching->watch(memory, batch, learner, rng);
  } else {
    policy.observe(memory, batch, rng);
  }
}

void tell_epoch(MemoryPolicy& policy, Memory& memory, const Task& task, const Learner& learner,
                int epoch, int epochs, const Rng& rng) {
  if (WatchingPolicy* const watching = policy.as_watching())
    watching->watch_epoch(memory, task, learner, epoch, epochs, rng);
}

void tell_end(MemoryPolicy& policy, Memory& memory, const Task& task, const Learner& learner,
              const Rng& rng) {
  if (WatchingPolicy* const watching = policy.as_watching()) {
    watching->watch_end(memory, task, learner, rng);
  } else {
    policy.end_task(memory, task, rng);
  }
}

}  // namespace gps
