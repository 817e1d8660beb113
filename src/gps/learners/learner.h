// g, the local update: how one mini-batch and the memory change θ. Learners read the memory;
// policies edit it.
//
// A learner does not have to contain a Network: any training loop can be one. The learners of this
// library do contain one (network_learner.h). Code that needs the network calls network_of().
#pragma once

#include <memory>
#include <string>

#include "gps/core/catalog.h"
#include "gps/core/option_table.h"
#include "gps/core/rng.h"
#include "gps/memory/memory.h"
#include "gps/nn/network.h"

namespace gps {

struct NetworkOptions;  // nn/network_options.h

class Learner {
 public:
  virtual ~Learner() = default;

  // A deep copy, weights included.
  virtual std::unique_ptr<Learner> clone() const = 0;

  // A copy that a simulation trains and discards. Like clone(), except that the copy may leave out
  // what simulated tasks should not add (HAL's anchors, A31).
  virtual std::unique_ptr<Learner> imagine() const { return clone(); }

  // Called before the first step of a task, and after the task's memory has been built.
  virtual void begin_task(const Task& /*task*/, const Memory& /*past*/, const Rng& /*rng*/) {}
  virtual void end_task(const Task& /*task*/, const Memory& /*memory*/, const Rng& /*rng*/) {}

  // Takes one step on this batch and on rows drawn from the memory. Returns the loss before the
  // step; 0 if there is no step (LearnerEntry::learns_at_task_end).
  virtual double observe(const Batch& now, const Memory& past, Rng& rng) = 0;

  // Whether the learner replays logits (Example::logits). If so, its scores are logits, and
  // batch_logits() writes those of the last observed batch, as they were before the step, to `out`:
  // classes() values for each row. An empty `out` means that logits are stored when the task ends.
  virtual bool stores_logits() const { return false; }
  virtual void batch_logits(std::vector<float>& /*out*/) const {}

  // Writes classes() scores for each image. The class with the largest score is the prediction. Not
  // const because of scratch buffers; what the learner has learnt does not change.
  virtual std::size_t classes() const = 0;
  virtual void scores(ImageRows images, std::span<float> out) = 0;

  // Writes feature_size() numbers for each image: the input of the last layer.
  virtual std::size_t feature_size() const = 0;
  virtual void features(ImageRows images, std::span<float> out) = 0;

  // Whether all learnt numbers are finite. Called after each epoch.
  virtual bool is_finite() const = 0;

  // Writes or reads everything that the next step depends on, weights included
  // (core/files/archive.h). Reading requires a learner made with the same options. Throws
  // UsageError for learners that do not override it: they can learn, but not be saved.
  virtual void persist(Archive& archive);

  // The network that the learner trains; null if it has none.
  virtual Network* network() { return nullptr; }
  const Network* network() const { return const_cast<Learner*>(this)->network(); }
};

// Returns the learner's network, for code that needs one: export, growing heads, gradients of
// single examples. Throws UsageError if there is none.
Network& network_of(Learner& learner);
const Network& network_of(const Learner& learner);

struct LearnerOptions {
  std::string name = "er";
  float learning_rate = 0.1f;
  int memory_batch = 10;   // rows drawn from memory for each step
  Settings settings = {};  // options of single learners; only those of `name` matter
  bool operator==(const LearnerOptions&) const = default;
};

// The options that learners share: learning_rate, and memory_batch for those that replay.
const OptionTable<LearnerOptions>& learner_options();

// What a learner learns with and on, as far as it is known before any data is read.
struct LearnerContext {
  const NetworkOptions& network;
  bool is_split = false;    // whether tasks bring classes of their own
  std::string stream = {};  // its name, for messages
};

// Describes a learner and makes it. Each entry is in the learner's source file, beside its options.
struct LearnerEntry : Entry {
  bool replays = true;  // whether it reads the memory at all
  // Time of one step divided by that of er, rounded. Measured by `learner_step` of bench/ on
  // P-MNIST with the paper's options, in the sixth of ten tasks (docs/performance.md).
  double relative_cost = 1;
  // The policy if none is named: the memory that the method comes with, or a reservoir.
  std::string default_policy = "reservoir";
  bool learns_jointly = false;  // whether it trains on all tasks at once
  std::unique_ptr<Learner> (*make)(const LearnerOptions& options,
                                   std::unique_ptr<Network> network) = nullptr;
  // Throws UsageError for a network or a stream that it cannot learn with. May be null.
  void (*check)(const LearnerContext& context) = nullptr;
  // Whether observe() changes nothing, and the learner learns from the memory in end_task() alone.
  bool learns_at_task_end = false;
  // Whether it predicts with the examples in the memory, which it reads in end_task().
  bool predicts_by_memory = false;
  // Whether every task must bring new classes, and no examples of known ones.
  bool needs_new_classes = false;
  // Why it cannot learn any number of tasks and classes within a budget; empty: it can. Follows the
  // learner's name in a sentence.
  std::string why_not_lasting = {};
};

const std::vector<LearnerEntry>& learner_catalog();

// Throws UsageError for an unknown learner, and for options that are unknown or out of range.
void validate(const LearnerOptions& options);

// Throws UsageError for a network or a stream that the learner cannot learn with.
void check_context(const std::string& learner, const LearnerContext& context);

std::unique_ptr<Learner> make_learner(const LearnerOptions& options,
                                      std::unique_ptr<Network> network);

// Sets the learner's own option with this key, if it has one.
void set_if_any(LearnerOptions& options, const std::string& key, const OptionValue& value);

// Return what the entry of this learner says. The default policy of learners without a memory is
// "none".
double relative_cost(const std::string& learner);
bool replays(const std::string& learner);
std::string default_policy(const std::string& learner);
bool learns_jointly(const std::string& learner);
bool learns_at_task_end(const std::string& learner);
bool predicts_by_memory(const std::string& learner);
bool needs_new_classes(const std::string& learner);

}  // namespace gps
