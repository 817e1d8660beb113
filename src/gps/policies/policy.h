// Who stays in the memory M. Policies edit it; learners read it. So any policy meets any learner.
#pragma once

#include <memory>
#include <vector>

#include "gps/core/catalog.h"
#include "gps/core/option.h"
#include "gps/core/rng.h"
#include "gps/learners/learner.h"
#include "gps/memory/memory.h"
#include "gps/policies/learning_history.h"

namespace gps {

// What a policy decided when a task ended, for those that decide something (Eqn. 9 of the paper).
struct Probe {
  std::size_t ring_size = 0;
  double loss = 0;      // of the current task at the end of the simulated future
  double accuracy = 0;  // likewise

  void persist(Archive& archive) { archive(ring_size, loss, accuracy); }
};
struct Decision {
  int task = 0;
  std::size_t ring_size = 0;  // a_j: the class-balanced part
  std::size_t quota = 0;      // |M|/j: the whole
  std::vector<Probe>
      probes;  // in the order in which they were tried; empty where nothing was searched

  void persist(Archive& archive) { archive(task, ring_size, quota, probes); }
};

class MemoryPolicy {
 public:
  virtual ~MemoryPolicy() = default;

  // Before the first step of a task, after each step, and after the last one. At the end of each
  // task i: the memory holds at most capacity() examples of tasks up to i, no example twice, and of
  // each earlier task a subset of what it held before (section 3 of the paper).
  virtual void begin_task(Memory& /*memory*/, const Task& /*task*/, const Rng& /*rng*/) {}
  virtual void observe(Memory& /*memory*/, const Batch& /*batch*/, Rng& /*rng*/) {}

  // The same as observe(), for policies that look at the learner too. They may ask it for logits
  // and gradients, and do not change θ.
  virtual void watch(Memory& memory, const Batch& batch, Learner& /*learner*/, Rng& rng) {
    observe(memory, batch, rng);
  }

  // After each epoch of a task, `epoch` of `epochs` (from 1).
  virtual void end_epoch(Memory& /*memory*/, const Task& /*task*/, const Learner& /*learner*/,
                         int /*epoch*/, int /*epochs*/, const Rng& /*rng*/) {}

  virtual void end_task(Memory& /*memory*/, const Task& /*task*/, const Learner& /*learner*/,
                        const Rng& /*rng*/) {}

  // The decisions so far, one for each finished task; empty for policies that make none.
  virtual std::vector<Decision> decisions() const { return {}; }

  // All that it remembers between two steps besides the memory, into or out of an archive
  // (core/files/archive.h). Reading wants a policy made with the same options.
  virtual void persist(Archive& /*archive*/) {}
};

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
