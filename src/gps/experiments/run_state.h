// A run between two steps: where it is, what it has found so far, and how that is kept as a
// checkpoint and brought back.
#pragma once

#include <cstdint>
#include <string>

#include "gps/benchmarks/benchmark.h"
#include "gps/core/files/archive.h"
#include "gps/experiments/checkpoint.h"
#include "gps/experiments/result.h"
#include "gps/learners/learner.h"
#include "gps/memory/memory.h"
#include "gps/policies/policy.h"
#include "gps/training/trainer.h"

namespace gps {

struct RunState {
  int task = 1;             // the one to be learnt
  bool is_trained = false;  // and only to be closed
  TrainPosition at;         // otherwise
  RunResult result;
  ClassIncremental among_all;

  void persist(Archive& archive) {
    archive.section("position");
    archive(task, is_trained, at);
    archive.section("results");
    archive(result.accuracy, result.class_accuracy, result.accuracy_at_initialisation,
            result.memory, result.steps, among_all.accuracy, among_all.accuracy_at_initialisation);
  }
  // What goes on changing while a task is being closed.
  void persist_late(Archive& archive) { archive(result.seconds, result.peak_memory_bytes); }
};

// Whose checkpoints a run may go on from: those of the same spec, seed, data and bits.
RunIdentity identity_of(const Spec& spec, std::uint64_t seed, const Benchmark& benchmark);

// The largest resident size of this process so far.
std::size_t peak_memory_bytes();

// Keeps the state of a run as checkpoints, and brings it back. While a task is being closed its
// parts are being changed: a checkpoint then is the state before that, and what the policy's search
// has tried.
class Keeper {
 public:
  Keeper(Checkpoints& checkpoints, RunIdentity identity, RunState& state, Learner& learner,
         MemoryPolicy& policy, Memory& memory);

  bool is_due() { return checkpoints_.is_due(); }
  bool is_due_at_task_end() const { return checkpoints_.is_due_at_task_end(); }

  // Copies the state as it is now; save() writes the last copy. If there is not enough memory for
  // the copy, the run continues without it.
  void take();
  void save();

  // Brings back what was saved, if there is anything, and says where the run goes on.
  bool resume();

 private:
  void save_taken();
  void persist(Archive& archive);

  Checkpoints& checkpoints_;
  RunIdentity identity_;
  RunState& state_;
  Learner& learner_;
  MemoryPolicy& policy_;
  Memory& memory_;
  std::string taken_;
};

}  // namespace gps
