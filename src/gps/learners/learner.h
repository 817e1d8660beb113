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

  // A deep copy, network included.
  virtual std::unique_ptr<Learner> clone() const = 0;

  // The copy that a simulation trains and throws away. The same as clone(), except that it may
  // leave out what pretended tasks should not add (HAL's anchors, A31).
  virtual std::unique_ptr<Learner> imagine() const { return clone(); }

  // Before the first step of a task, and after its memory was built.
  virtual void begin_task(const Task& /*task*/, const Memory& /*past*/, const Rng& /*rng*/) {}
  virtual void end_task(const Task& /*task*/, const Memory& /*memory*/, const Rng& /*rng*/) {}

  // One step on this batch and on rows drawn from the memory. Returns the loss before the step.
  virtual double observe(const Batch& now, const Memory& past, Rng& rng) = 0;

  // Does it replay logits (Example::logits)? If so, observe() puts the batch's own into `out`
  // (classes() a row), as they were before the step.
  virtual bool stores_logits() const { return false; }
  virtual void batch_logits(std::vector<float>& /*out*/) const {}

  // What it says of images: a row of classes() scores each, the largest of them its prediction.
  virtual void scores(ImageRows images, std::span<float> out) { network().logits(images, out); }

  // All that its next step depends on, the network included, into or out of an archive
  // (core/archive.h). Reading wants a learner made with the same options.
  virtual void persist(Archive& archive) { network().persist(archive); }

  virtual Network& network() = 0;
  const Network& network() const { return const_cast<Learner*>(this)->network(); }
};

enum class ErLoss {
  sum,     // Eqn. 2: mean over the current rows + λ · mean over the memory rows
  concat,  // the peers' form: the mean over all rows together (λ weighs the memory rows in it)
};

// What each parameter of the importance matrix of oEWC is: the mean over the task's examples of …
enum class Fisher {
  empirical,  // the squared gradient of -log p(y|x), y the label: the default
  exact,      // the same, y averaged over the classes with weights p(y|x)
  mammoth,    // the empirical one, each example weighted by p(y|x)
};

// How HAL makes its anchors.
enum class HalVariant {
  mean,     // start from the class's mean image, features pulled to the class's mean; θ_M by one
            // epoch over the memory: the default, as the authors' code does
  mammoth,  // start from noise, features pulled to the task's mean; θ_M by one step
};

// When the logits that DER replays are taken.
enum class DerLogits {
  step,      // when the example is stored, before that step (A30); at the end of its task for
             // memories that are built then
  task_end,  // at the end of the example's task, always (Avalanche)
};

struct LearnerOptions {
  std::string name = "er";
  float learning_rate = 0.1f;
  int memory_batch = 10;  // rows drawn from memory for each step
  float lambda = 1;       // er, gss: weight of the memory's loss
  ErLoss er_loss = ErLoss::sum;

  float alpha = 0.5f;  // der, der++: weight of the logits' squared error
  float beta = 0.5f;   // der++: weight of the memory's cross entropy
  DerLogits der_logits = DerLogits::step;

  float hal_lambda = 0.1f;  // weight of the anchors
  float hal_beta = 0.5f;    // decay of the mean features φ
  float hal_gamma = 0.1f;   // weight of ‖features - φ‖² when anchors are made
  int anchor_steps = 100;
  HalVariant hal_variant = HalVariant::mean;

  float ewc_lambda = 0.7f;
  float ewc_gamma = 1;  // decay of the old importance
  Fisher fisher = Fisher::empirical;

  float weight_decay = 0;  // icarl
  int repeats = 1;         // gss: steps a batch
  int directions = 100;    // ogd: stored a task
};

const Catalog& learner_catalog();

// Throws UsageError for values that make no learner.
void validate(const LearnerOptions& options);

std::unique_ptr<Learner> make_learner(const LearnerOptions& options,
                                      std::unique_ptr<Network> network);

// The time of one of its steps over that of er's, rounded: P-MNIST with the paper's options, in the
// sixth of ten tasks, by `learner_step` of bench/ (docs/performance.md).
double relative_cost(const std::string& learner);

// Does this learner read the memory at all?
bool replays(const std::string& learner);

// The policy it runs under where none is named: the memory that the method comes with, or a
// reservoir; "none" where it has no memory.
std::string default_policy(const std::string& learner);

// Does this learner train on all tasks at once instead of one after another?
bool learns_jointly(const std::string& learner);

// One maker a learner, each in the file of its name.
std::unique_ptr<Learner> make_sgd(const LearnerOptions& options, std::unique_ptr<Network> network);
std::unique_ptr<Learner> make_er(const LearnerOptions& options, std::unique_ptr<Network> network);
std::unique_ptr<Learner> make_der(const LearnerOptions& options, std::unique_ptr<Network> network);
std::unique_ptr<Learner> make_hal(const LearnerOptions& options, std::unique_ptr<Network> network);
std::unique_ptr<Learner> make_oewc(const LearnerOptions& options, std::unique_ptr<Network> network);
std::unique_ptr<Learner> make_icarl(const LearnerOptions& options,
                                    std::unique_ptr<Network> network);
std::unique_ptr<Learner> make_agem(const LearnerOptions& options, std::unique_ptr<Network> network);
std::unique_ptr<Learner> make_ogd(const LearnerOptions& options, std::unique_ptr<Network> network);

}  // namespace gps
