// GPS for a learner that is not ours: the same policy as simulation/gps_policy.h, except that the
// caller says how well the task is remembered under a candidate memory. Rows that are held back,
// pseudo-tasks, strides and the search are those of the library, drawn from the same streams.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "gps/simulation/gps_policy.h"
#include "gps/simulation/scene.h"

namespace gps::python {

// Stands where a learner is expected of which nothing is asked.
class NoLearner final : public Learner {
 public:
  std::unique_ptr<Learner> clone() const override { return std::make_unique<NoLearner>(); }
  double observe(const Batch&, const Memory&, Rng&) override { return 0; }
  std::size_t classes() const override { return 0; }
  void scores(ImageRows, std::span<float>) override {}
  std::size_t feature_size() const override { return 0; }
  void features(ImageRows, std::span<float>) override {}
  bool is_finite() const override { return true; }
  void persist(Archive&) override {}
};

// What all candidates of one search share. It owns all that it refers to, so that a candidate may
// outlive the search.
class AskedScene {
 public:
  AskedScene(Memory memory, Task now, SelectionOrders orders, const SimulationOptions& options,
             int tasks, const Rng& rng);
  AskedScene(const AskedScene&) = delete;
  AskedScene& operator=(const AskedScene&) = delete;

  const Task& now() const { return now_; }
  const SimulationOptions& options() const { return options_; }
  int pseudo_tasks() const { return static_cast<int>(scene_.future().size()); }
  const Dataset& held_back() const { return scene_.held_back(); }
  // The k-th pseudo-task, from 1. Its examples are those of `now`; the caller changes them.
  const Task& pseudo_task(int k) const;
  const Situation& situation() const { return situation_; }
  // For the random numbers of the caller, the same for all candidates.
  std::uint64_t seed() const;

 private:
  Memory memory_;
  Task now_;
  SelectionOrders orders_;
  SimulationOptions options_;
  NoLearner learner_;
  std::unique_ptr<Future> future_;
  Scene scene_;
  Situation situation_;
};

// The memory of one plan, and what becomes of it as pseudo-tasks end.
class AskedCandidate {
 public:
  AskedCandidate(std::shared_ptr<const AskedScene> scene, const Plan& plan, int number);

  const AskedScene& scene() const { return *scene_; }
  const Plan& plan() const { return plan_; }
  int number() const { return number_; }  // of the candidate in its search, from 1
  const Memory& memory() const { return memory_; }

  // Ends the pseudo-task after the last one that ended. Returns the slots that stay, and which rows
  // of the pseudo-task are added behind them, in their order. Throws UsageError if there is none.
  struct Change {
    std::vector<std::int64_t> kept;
    std::vector<std::int64_t> added;
  };
  Change advance();
  int ended() const { return ended_; }  // number of pseudo-tasks that have ended
  // The same candidate before its first pseudo-task.
  std::shared_ptr<AskedCandidate> again() const {
    return std::make_shared<AskedCandidate>(scene_, plan_, number_);
  }

 private:
  std::shared_ptr<const AskedScene> scene_;
  Plan plan_;
  int number_;
  Memory memory_;
  std::unique_ptr<MemoryPolicy> policy_;
  int ended_ = 0;
};

// Returns the outcome of a candidate.
using AskOutcome = std::function<Outcome(const std::shared_ptr<AskedCandidate>& candidate)>;

class AskedGps final : public RebuildingPolicy {
 public:
  explicit AskedGps(SimulationOptions options)
      : RebuildingPolicy(options.in_task, make_base_pair(options.base)),
        options_(std::move(options)) {}

  // How many examples a pseudo-task has if no option says so.
  void set_examples(std::size_t examples) { options_.examples = examples; }
  const SimulationOptions& options() const { return options_; }

  // Whether a search follows this task.
  bool searches_after(int task) const { return simulated_tasks(task, options_) > 0; }
  // For the next end of a task. REQUIRES: it is set before a task ends after which there is a
  // search.
  void ask(AskOutcome ask) { ask_ = std::move(ask); }

 protected:
  Decision choose(const TaskEnd& end) override;

 private:
  SimulationOptions options_;
  AskOutcome ask_;
};

}  // namespace gps::python
