// The state of a run after its first tasks: learner, memory and stream. The same bits as in run().
#pragma once

#include "gps/experiments/spec/spec.h"
#include "gps/probes/probe.h"

namespace gps {

struct Prefix {
  Rng rng;  // of the run
  std::unique_ptr<Benchmark> benchmark;
  std::unique_ptr<Learner> learner;
  Memory memory;

  Task task(int i) const;  // as it is learnt
};

// Learns the first `tasks` tasks of a run. REQUIRES: a valid spec that does not learn jointly and
// has at least this many tasks. Throws what train_task() throws.
Prefix learn_first(int tasks, const Spec& spec, std::uint64_t seed, const BenchmarkSource& source,
                   Executor& executor, const StopFlag* stop, TaskTally& tally);

}  // namespace gps
