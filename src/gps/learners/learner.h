// g, the local update: how one mini-batch and the memory change θ. Learners read the memory;
// policies edit it.
#pragma once

#include <memory>
#include <string>

#include "gps/core/catalog.h"
#include "gps/core/rng.h"
#include "gps/memory/memory.h"
#include "gps/nn/network.h"

namespace gps {

class Learner {
 public:
  virtual ~Learner() = default;

  // A deep copy, network included: what a simulation trains and throws away.
  virtual std::unique_ptr<Learner> clone() const = 0;

  // One step on this batch and on rows drawn from the memory. Returns the loss before the step.
  virtual double observe(const Batch& now, const Memory& past, Rng& rng) = 0;

  virtual Network& network() = 0;
};

enum class ErLoss {
  sum,     // Eqn. 2: mean over the current rows + λ · mean over the memory rows
  concat,  // the peers' form: the mean over all rows together (λ weighs the memory rows in it)
};

struct LearnerOptions {
  std::string name = "er";
  float learning_rate = 0.1f;
  int memory_batch = 10;  // rows drawn from memory for each step
  float lambda = 1;       // weight of the memory's loss
  ErLoss er_loss = ErLoss::sum;
};

const Catalog& learner_catalog();

// Throws UsageError for values that make no learner.
void validate(const LearnerOptions& options);

std::unique_ptr<Learner> make_learner(const LearnerOptions& options,
                                      std::unique_ptr<Network> network);

// Does this learner read the memory at all?
bool replays(const std::string& learner);

// Does this learner train on all tasks at once instead of one after another?
bool learns_jointly(const std::string& learner);

// One maker a learner, each in the file of its name.
std::unique_ptr<Learner> make_sgd(const LearnerOptions& options, std::unique_ptr<Network> network);
std::unique_ptr<Learner> make_er(const LearnerOptions& options, std::unique_ptr<Network> network);

}  // namespace gps
