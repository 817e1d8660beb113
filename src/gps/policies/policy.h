// A policy decides which examples stay in the memory M. Policies edit it and learners read it, so
// any policy works with any learner.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "gps/core/catalog.h"
#include "gps/core/option_table.h"
#include "gps/core/rng.h"
#include "gps/memory/memory.h"
#include "gps/memory/plan.h"
#include "gps/policies/parts/learning_history.h"

namespace gps {

// The scores of the current task at the end of a simulated future.
struct Outcome {
  double loss = 0;
  double accuracy = 0;

  void persist(Archive& archive) { archive(loss, accuracy); }
};

// Returns whether the simulated network was neither dead nor diverged (simulation/global_sim.h).
inline bool is_alive(const Outcome& outcome) { return std::isfinite(outcome.loss); }

// A plan that was tried, and its outcome.
struct Trial {
  Plan plan;
  Outcome outcome;

  void persist(Archive& archive) { archive(plan, outcome); }
};

// What a policy decided when a task ended (Eqn. 9 of the paper). Not all policies make decisions.
struct Decision {
  int task = 0;
  Plan plan = {};
  std::size_t quota = 0;           // |M|/j: how many examples of the task are stored
  std::vector<Trial> trials = {};  // in the order in which they were tried; empty: no search

  void persist(Archive& archive) { archive(task, plan, quota, trials); }
};

// Returns whether there was a search, and the simulated network of every candidate was dead or
// diverged.
inline bool has_no_live_trial(const Decision& decision) {
  for (const Trial& trial : decision.trials) {
    if (is_alive(trial.outcome)) return false;
  }
  return !decision.trials.empty();
}

class Learner;
class WatchingPolicy;

// A policy sees examples, but not the learner. Policies that also look at the learner are
// WatchingPolicies (watching.h).
class MemoryPolicy {
 public:
  virtual ~MemoryPolicy() = default;

  // Called before the first step of a task, after each step, and after the last one. At the end of
  // task i, the memory holds at most capacity() examples of tasks up to i, no example twice, and of
  // each earlier task a subset of the examples it held before (section 3 of the paper). A caller
  // that gets to know the labels of a task only as it goes may call begin_task() again with those
  // known so far: hybrid and ring-full (with RingQuota::deal) then make room for the new classes.
  virtual void begin_task(Memory& /*memory*/, const Task& /*task*/, const Rng& /*rng*/) {}
  virtual void observe(Memory& /*memory*/, const Batch& /*batch*/, Rng& /*rng*/) {}

  virtual void end_task(Memory& /*memory*/, const Task& /*task*/, const Rng& /*rng*/) {}

  // The decisions so far, one for each finished task; empty for policies that make none.
  virtual std::vector<Decision> decisions() const { return {}; }

  // Writes or reads everything that the policy remembers between two steps besides the memory
  // (core/files/archive.h). Reading requires a policy made with the same options.
  virtual void persist(Archive& /*archive*/) {}

  // Throws DataError if what persist() has read does not fit the memory that it was saved with.
  virtual void check_fits(const Memory& /*memory*/) const {}

  // For policies that search when a task ends: writes or reads the candidates tried so far. May be
  // called on any thread during the search. The result is saved beside what persist() wrote before
  // the search. Candidates that were read back are not tried again. A new task clears them.
  virtual void persist_search(Archive& /*archive*/) {}
  virtual std::size_t tried() const { return 0; }  // number of candidates tried so far

  // Returns the policy itself if it looks at the learner, otherwise null.
  virtual WatchingPolicy* as_watching() { return nullptr; }
};

// Called by the training loop after a step, after an epoch (`epoch` of `epochs`, from 1), and after
// the last step of a task. They notify the policy, and pass the learner to policies that look at
// it.
void tell_step(MemoryPolicy& policy, Memory& memory, const Batch& batch, Learner& learner,
               Rng& rng);
void tell_epoch(MemoryPolicy& policy, Memory& memory, const Task& task, const Learner& learner,
                int epoch, int epochs, const Rng& rng);
void tell_end(MemoryPolicy& policy, Memory& memory, const Task& task, const Learner& learner,
              const Rng& rng);

// How ring-full rounds its class quotas.
enum class RingQuota {
  deal,   // every slot is used: the remainder is dealt out (A8)
  floor,  // |M|/(t·C) rounded down, as the paper prints it; can waste nearly half of the memory
};

// The form of gradient-based selection (GSS) that the policy `gradient` uses.
enum class GssVariant {
  mammoth,  // compares with single stored examples; draws one slot for each new example
  greedy,   // the authors' code: compares with ten stored batches; draws slots for a whole batch
};

struct PolicyOptions {
  std::string name = "reservoir";  // "none" for learners that do not replay
  Settings settings = {};          // options of single policies; only those of `name` matter
  bool operator==(const PolicyOptions&) const = default;
};

struct SimulationNeeds;  // simulation/gps_policy.h

// What a policy may need to know about the run besides its own options.
struct PolicyContext {
  int batch = 10;                               // examples in each step
  const SimulationNeeds* simulation = nullptr;  // for gps, which throws UsageError without it
};

// What is known of the stream and the memory before a run.
struct StreamOutline {
  int tasks = 0;                 // 0: nobody knows how many will come
  int memory = 0;                // |M|; 0: not known yet
  int classes_a_task = 0;        // 0: not known, or not the same in all tasks
  int classes_of_all_tasks = 0;  // labels of each task, summed over all tasks; 0: not known
};

// Describes a policy and makes it. Each entry is in the policy's source file, beside its options;
// policies/catalog.h lists them.
struct PolicyEntry : Entry {
  std::unique_ptr<MemoryPolicy> (*make)(const Settings& settings,
                                        const PolicyContext& context) = nullptr;
  // The keys of the options whose values may follow the name, separated by slashes: {"ring",
  // "base"} for mixed:0.5/cur. If `always_shows`, the first one is always shown.
  std::vector<std::string> variants = {};
  bool always_shows = false;
  // Whether it remembers something between two tasks besides the memory.
  bool has_lasting_state = false;
  // Fills in values that depend on other options, for results. May be null.
  void (*settle)(Settings& settings, const PolicyContext& context) = nullptr;
  // Throws OptionError for values that are impossible together. May be null.
  void (*check)(const Settings& settings) = nullptr;
  // Throws OptionError for values that do not fit the stream or the memory. May be null.
  void (*check_stream)(const Settings& settings, const StreamOutline& stream) = nullptr;
  // Whether it searches by simulation at the end of a task.
  bool simulates = false;
  // Returns why it cannot go on for any number of tasks, or an empty text. Follows the policy's
  // label in a sentence. May be null: it can.
  std::string (*why_not_lasting)(const Settings& settings) = nullptr;
};

// One maker for each policy, in the file of its name; make_no_memory() is in reservoir.cpp. `mixed`
// is in mixed.h, `gps` in simulation/gps_policy.h.
std::unique_ptr<MemoryPolicy> make_no_memory();
std::unique_ptr<MemoryPolicy> make_reservoir();
std::unique_ptr<MemoryPolicy> make_ring_full(RingQuota quota);
std::unique_ptr<MemoryPolicy> make_hybrid();

// `easy_fraction` is γ, in (0, 1]: the share of a task that counts as easy.
std::unique_ptr<MemoryPolicy> make_cur_res(double easy_fraction, EasyRank rank = EasyRank::loss);
std::unique_ptr<MemoryPolicy> make_cur_ring_full(double easy_fraction,
                                                 EasyRank rank = EasyRank::loss);

// A new example is compared with `references` stored examples (mammoth), or with ten stored batches
// of `references` examples each (greedy). REQUIRES: references >= 1.
std::unique_ptr<MemoryPolicy> make_gradient(GssVariant variant, std::size_t references);

std::unique_ptr<MemoryPolicy> make_herding();

// `batch` is the size of the one batch that each task stores.
std::unique_ptr<MemoryPolicy> make_one_batch(std::size_t batch);

}  // namespace gps
