// Which examples stay in the memory M. Policies edit it and learners read it, so any policy works
// with any learner.
#pragma once

#include <memory>
#include <vector>

#include "gps/core/catalog.h"
#include "gps/core/option.h"
#include "gps/core/rng.h"
#include "gps/memory/memory.h"
#include "gps/memory/plan.h"
#include "gps/policies/learning_history.h"

namespace gps {

// What would become of the current task, or has: at the end of a simulated future.
struct Outcome {
  double loss = 0;
  double accuracy = 0;

  void persist(Archive& archive) { archive(loss, accuracy); }
};

// A plan that was tried.
struct Trial {
  Plan plan;
  Outcome outcome;

  void persist(Archive& archive) { archive(plan, outcome); }
};

// What a policy decided when a task ended, for those that decide something (Eqn. 9 of the paper).
struct Decision {
  int task = 0;
  Plan plan = {};
  std::size_t quota = 0;           // |M|/j: how many examples of the task are stored
  std::vector<Trial> trials = {};  // in the order in which they were tried; empty: nothing was

  void persist(Archive& archive) { archive(task, plan, quota, trials); }
};

class Learner;
class WatchingPolicy;

// It sees examples, never who learns from them. Policies that look at the learner too are
// WatchingPolicies (watching.h).
class MemoryPolicy {
 public:
  virtual ~MemoryPolicy() = default;

  // Before the first step of a task, after each step, and after the last one. At the end of each
  // task i: the memory holds at most capacity() examples of tasks up to i, no example twice, and of
  // each earlier task a subset of what it held before (section 3 of the paper).
  virtual void begin_task(Memory& /*memory*/, const Task& /*task*/, const Rng& /*rng*/) {}
  virtual void observe(Memory& /*memory*/, const Batch& /*batch*/, Rng& /*rng*/) {}

  virtual void end_task(Memory& /*memory*/, const Task& /*task*/, const Rng& /*rng*/) {}

  // The decisions so far, one for each finished task; empty for policies that make none.
  virtual std::vector<Decision> decisions() const { return {}; }

  // All that it remembers between two steps besides the memory, into or out of an archive
  // (core/files/archive.h). Reading wants a policy made with the same options.
  virtual void persist(Archive& /*archive*/) {}

  // For those that search in end_task(): what they have tried so far. It may be asked for on any
  // thread while the search is under way, and is kept beside what persist() wrote before
  // end_task(). What is read back is not tried again. A new task forgets it.
  virtual void persist_search(Archive& /*archive*/) {}
  virtual std::size_t tried() const { return 0; }  // how many candidates

  // Itself, if it looks at the learner.
  virtual WatchingPolicy* as_watching() { return nullptr; }
};

// After a step, after an epoch (`epoch` of `epochs`, from 1), and after the last step of a task:
// tells a policy, and shows it the learner if it looks at one. Called by the training loop.
void tell_step(MemoryPolicy& policy, Memory& memory, const Batch& batch, Learner& learner,
               Rng& rng);
void tell_epoch(MemoryPolicy& policy, Memory& memory, const Task& task, const Learner& learner,
                int epoch, int epochs, const Rng& rng);
void tell_end(MemoryPolicy& policy, Memory& memory, const Task& task, const Learner& learner,
              const Rng& rng);

// How ring-full rounds its class quotas.
enum class RingQuota {
  deal,   // every slot used: the remainder is dealt out (A8)
  floor,  // |M|/(t·C) rounded down, as the paper prints it; can waste nearly half of the memory
};

// Which form of gradient-based selection (GSS) `gradient` is.
enum class GssVariant {
  mammoth,  // compares with the gradients of single stored examples; one slot drawn an example
  greedy,   // the authors' code: with those of ten stored batches; slots drawn for a whole batch
};

struct PolicyOptions {
  std::string name = "reservoir";  // "none" for learners that do not replay
  Settings settings = {};  // the policies' own options; those of others than `name` mean nothing
  bool operator==(const PolicyOptions&) const = default;
};

struct SimulationNeeds;  // simulation/gps_policy.h

// What a policy may need to know of the run besides its own options.
struct PolicyContext {
  int batch = 10;                               // examples a step
  const SimulationNeeds* simulation = nullptr;  // for policies that simulate
};

// What a policy tells about itself, and how it is made. Each stands in the file of its name, beside
// the policy's options; simulation/policy_catalog.h lists them.
struct PolicyEntry : Entry {
  std::unique_ptr<MemoryPolicy> (*make)(const Settings& settings,
                                        const PolicyContext& context) = nullptr;
  // The keys of those options whose values may stand behind the name, with slashes between them:
  // {"ring", "base"} for mixed:0.5/cur. The first one is always shown if `always_shows`.
  std::vector<std::string> variants = {};
  bool always_shows = false;
  // Does it remember something between two tasks besides the memory?
  bool has_lasting_state = false;
  // Fills in the values that follow from others, for results. May be null.
  void (*settle)(Settings& settings, const PolicyContext& context) = nullptr;
  // Throws OptionError for values that are impossible together. May be null.
  void (*check)(const Settings& settings) = nullptr;
};

// One maker a policy, each in the file of its name. `mixed` is in mixed.h, `gps` in
// simulation/gps_policy.h.
std::unique_ptr<MemoryPolicy> make_no_memory();
std::unique_ptr<MemoryPolicy> make_reservoir();
std::unique_ptr<MemoryPolicy> make_ring_full(RingQuota quota);
std::unique_ptr<MemoryPolicy> make_hybrid();

// `easy_fraction` is γ, in (0, 1]: the share of a task that counts as easy.
std::unique_ptr<MemoryPolicy> make_cur_res(double easy_fraction, EasyRank rank = EasyRank::loss);
std::unique_ptr<MemoryPolicy> make_cur_ring_full(double easy_fraction,
                                                 EasyRank rank = EasyRank::loss);

// `references` is how many stored examples (mammoth), or how many in each of ten stored batches
// (greedy), a new one is compared with. REQUIRES: at least one.
std::unique_ptr<MemoryPolicy> make_gradient(GssVariant variant, std::size_t references);

std::unique_ptr<MemoryPolicy> make_herding();

// `batch` is the size of the one batch that each task stores.
std::unique_ptr<MemoryPolicy> make_one_batch(std::size_t batch);

}  // namespace gps
