// The common part of mixed and gps (section 4.2). At the end of task i, earlier tasks shrink to
// their quotas, and BuildM adds task i from the orders of a pair of base policies, by a plan that
// the policy chooses.
#pragma once

#include "gps/memory/build.h"
#include "gps/policies/parts/base_pair.h"
#include "gps/policies/reservoir_sampler.h"
#include "gps/policies/watching.h"

namespace gps {

// What is replayed while task i is being learnt (A19).
enum class InTask {
  strict,   // M_{i-1} as it is, as Algorithm 3 prints it
  running,  // section 5.4: earlier tasks shrink at once, and task i has a running reservoir of its
            // own quota
};

struct RebuildingOptions {
  InTask in_task = InTask::strict;
  BaseOptions base = {};
};

// The options that mixed and gps share, and their values in these settings.
std::vector<Option> rebuilding_options();
RebuildingOptions read_rebuilding(const Settings& settings);

class RebuildingPolicy : public WatchingPolicy {
 public:
  RebuildingPolicy(InTask in_task, std::unique_ptr<BasePair> base)
      : in_task_(in_task), base_(std::move(base)) {}

  void begin_task(Memory& memory, const Task& task, const Rng& rng) override;
  void observe(Memory& memory, const Batch& batch, Rng& rng) final;
  void watch_epoch(Memory& memory, const Task& task, const Learner& learner, int epoch, int epochs,
                   const Rng& rng) final;
  void watch_end(Memory& memory, const Task& task, const Learner& learner, const Rng& rng) final;
  std::vector<Decision> decisions() const final { return decisions_; }
  void persist(Archive& archive) final { archive(*base_, running_, decisions_); }
  void check_fits(const Memory& memory) const final { running_.check_fits(memory); }

 protected:
  // The input of choose() and choose_with() when a task has ended.
  struct TaskEnd {
    const Memory& memory;  // M_{i-1}, shrunk to make room; nothing of task i
    const Task& task;
    const SelectionOrders& orders;
    std::size_t quota;  // |M_{i,i}|: how many examples of the task will be stored
    Rng rng;
  };
  // Subclasses override one of the two: choose() if they do not look at the learner.
  virtual Decision choose(const TaskEnd& end);
  virtual Decision choose_with(const Learner& /*learner*/, const TaskEnd& end) {
    return choose(end);
  }

 private:
  InTask in_task_;
  std::unique_ptr<BasePair> base_;
  ReservoirSampler running_;
  std::vector<Decision> decisions_;
};

}  // namespace gps
