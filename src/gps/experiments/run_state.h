// The state of a run between two steps: its position and its results so far. Saved as a checkpoint
// and restored from it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "gps/benchmarks/benchmark.h"
#include "gps/core/files/archive.h"
#include "gps/experiments/checkpoint.h"
#include "gps/experiments/result.h"
#include "gps/experiments/warnings.h"
#include "gps/learners/learner.h"
#include "gps/memory/memory.h"
#include "gps/policies/policy.h"
#include "gps/training/trainer.h"

namespace gps {

struct RunState {
  int task = 1;             // the task to learn
  bool is_trained = false;  // whether the task is trained and only needs finish_task()
  TrainPosition at;         // position within the task, if it is not trained
  RunResult result;
  ClassIncremental among_all;
  AnswerShares answers;

  void persist(Archive& archive) {
    archive.section("position");
    archive(task, is_trained, at);
    archive.section("results");
    archive(result.accuracy, result.class_accuracy, result.accuracy_at_initialisation,
            result.memory, result.steps, among_all.accuracy, among_all.accuracy_at_initialisation,
            answers);
    archive.section("plan");
    archive(result.plan);
  }
  // The part that still changes while a task is being finished.
  void persist_late(Archive& archive) { archive(result.seconds, result.peak_memory_bytes); }
};

// Returns the identity that a checkpoint must have for a run to continue from it: the same spec,
// seed, data and build.
RunIdentity identity_of(const Spec& spec, std::uint64_t seed, const Benchmark& benchmark);

// Returns the largest resident size of this process so far.
std::size_t peak_memory_bytes();

// What learns in a run. A plan may replace each of them.
struct RunParts {
  std::unique_ptr<Learner> learner;
  std::unique_ptr<MemoryPolicy> policy;
  Memory memory;
};

// Saves the state of a run as checkpoints and restores it. While a task is being finished, the
// parts of the state change. A checkpoint then holds the state before that, and the candidates that
// the policy's search has tried.
class Keeper {
 public:
  // Calls `follow_plan` when a state with a plan has been read, before its parts are: it makes the
  // parts that the plan names. REQUIRES: the state has the spec of the run.
  Keeper(Checkpoints& checkpoints, RunIdentity identity, const Benchmark& benchmark,
         RunState& state, RunParts& parts, std::function<void()> follow_plan);

  bool is_due() { return checkpoints_.is_due(); }
  bool is_due_at_task_end() const { return checkpoints_.is_due_at_task_end(); }

  // Copies the current state; save() writes the last copy. If there is not enough memory for the
  // copy, the run continues without it.
  void take();
  void save();
  void take_and_save();

  // Copies the state before a task is finished. A large copy is left out if there was too little
  // work since the last one; then save() does nothing until the next copy, and the last checkpoint
  // stands.
  void take_before_finish();

  // Restores the saved state, if there is one, and reports where the run continues. Throws
  // DataError if the state is not one of this run.
  bool resume();

 private:
  void save_taken();
  void restore(const std::string& saved);
  void persist(Archive& archive);
  void check_results() const;
  void check_decisions() const;

  Checkpoints& checkpoints_;
  RunIdentity identity_;
  const Benchmark& benchmark_;
  int stages_;  // the tasks that are learnt one after the other
  RunState& state_;
  RunParts& parts_;
  std::function<void()> follow_plan_;
  std::string taken_;
  bool is_left_out_ = false;  // whether take_before_finish() made no copy
  double copied_ = 0;         // time when it made its last copy
  double copy_cost_ = 0;      // seconds that it took
  std::size_t copy_size_ = 0;
};

}  // namespace gps
