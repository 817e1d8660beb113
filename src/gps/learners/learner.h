// g, the local update: how one mini-batch and the memory change θ. Learners read the memory;
// policies edit it.
//
// A learner need not be made of a Network: anyone's training loop can be one. The learners of this
// library have one (network_learner.h). Code that needs a network asks for it (network_of()).
#pragma once

#include <memory>
#include <string>

#include "gps/core/catalog.h"
#include "gps/core/option.h"
#include "gps/core/rng.h"
#include "gps/memory/memory.h"
#include "gps/nn/network.h"

namespace gps {

class Learner {
 public:
  virtual ~Learner() = default;

  // A deep copy, weights included.
  virtual std::unique_ptr<Learner> clone() const = 0;

  // The copy that a simulation trains and throws away. The same as clone(), except that it may
  // leave out what pretended tasks should not add (HAL's anchors, A31).
  virtual std::unique_ptr<Learner> imagine() const { return clone(); }

  // Before the first step of a task, and after its memory was built.
  virtual void begin_task(const Task& /*task*/, const Memory& /*past*/, const Rng& /*rng*/) {}
  virtual void end_task(const Task& /*task*/, const Memory& /*memory*/, const Rng& /*rng*/) {}

  // One step on this batch and on rows drawn from the memory. Returns the loss before the step.
  virtual double observe(const Batch& now, const Memory& past, Rng& rng) = 0;

  // Does it replay logits (Example::logits)? If so, its scores are logits, and batch_logits() puts
  // those of the batch that was observed last into `out` (classes() a row), as they were before the
  // step.
  virtual bool stores_logits() const { return false; }
  virtual void batch_logits(std::vector<float>& /*out*/) const {}

  // Its scores for images: a row of classes() scores for each; the largest is its prediction. Not
  // const because of scratch buffers; what it has learnt does not change.
  virtual std::size_t classes() const = 0;
  virtual void scores(ImageRows images, std::span<float> out) = 0;

  // What its last layer sees of images: a row of feature_size() numbers each.
  virtual std::size_t feature_size() const = 0;
  virtual void features(ImageRows images, std::span<float> out) = 0;

  // Is all that it has learnt made of finite numbers? Asked after each epoch.
  virtual bool is_finite() const = 0;

  // All that its next step depends on, weights included, into or out of an archive
  // (core/files/archive.h). Reading wants a learner made with the same options.
  virtual void persist(Archive& archive) = 0;

  // The network that it trains; null if it has none to show.
  virtual Network* network() { return nullptr; }
  const Network* network() const { return const_cast<Learner*>(this)->network(); }
};

// The same for code that needs a network: export, growing heads, gradients of single examples.
// Throws UsageError if there is none.
Network& network_of(Learner& learner);
const Network& network_of(const Learner& learner);

struct LearnerOptions {
  std::string name = "er";
  float learning_rate = 0.1f;
  int memory_batch = 10;   // rows drawn from memory for each step
  Settings settings = {};  // the learners' own options; those of others than `name` mean nothing
  bool operator==(const LearnerOptions&) const = default;
};

// The options that learners share: learning_rate, and memory_batch for those that replay.
const OptionTable<LearnerOptions>& learner_options();

// What a learner tells about itself, and how it is made. Each stands in the file of its name,
// beside the learner's options.
struct LearnerEntry : Entry {
  bool replays = true;  // does it read the memory at all?
  // The time of one of its steps over that of er's, rounded: P-MNIST with the paper's options, in
  // the sixth of ten tasks, by `learner_step` of bench/ (docs/performance.md).
  double relative_cost = 1;
  // The policy it runs under where none is named: the memory that the method comes with, or a
  // reservoir.
  std::string default_policy = "reservoir";
  bool learns_jointly = false;  // does it train on all tasks at once?
  std::unique_ptr<Learner> (*make)(const LearnerOptions& options,
                                   std::unique_ptr<Network> network) = nullptr;
};

const std::vector<LearnerEntry>& learner_catalog();

// Throws UsageError for values that make no learner.
void validate(const LearnerOptions& options);

std::unique_ptr<Learner> make_learner(const LearnerOptions& options,
                                      std::unique_ptr<Network> network);

// Sets an option of the learner's own if it has one of this key.
void set_if_any(LearnerOptions& options, const std::string& key, const OptionValue& value);

// What the entry of this name says. "none" is the default policy of learners without a memory.
double relative_cost(const std::string& learner);
bool replays(const std::string& learner);
std::string default_policy(const std::string& learner);
bool learns_jointly(const std::string& learner);

}  // namespace gps
