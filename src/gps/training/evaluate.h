// Accuracy and loss of a network or a learner on a set of examples.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "gps/core/work/executor.h"
#include "gps/core/work/stop.h"
#include "gps/data/dataset.h"
#include "gps/learners/learner.h"
#include "gps/nn/network.h"

namespace gps {

struct Evaluation {
  double accuracy = 0;           // share of examples whose largest logit is their label's
  double class_accuracy = 0;     // the same, averaged over the classes present
  double loss = 0;               // mean cross entropy
  double class_loss = 0;         // the same, averaged over the classes present
  double unmasked_accuracy = 0;  // accuracy without the mask
  std::vector<std::size_t> predicted = {};  // by label: how many examples have its largest logit
};

// `labels` is a mask: only the logits of these labels count, as if the network had no others (A23).
// Empty: all count. Masked accuracy is never below the unmasked one. REQUIRES: the set is not
// empty, and its labels are in the mask. Throws Interrupted on a stop request, which it checks
// every few hundred images.
Evaluation evaluate(Network& network, const Dataset& examples, std::span<const Label> labels = {},
                    const StopFlag* stop = nullptr);

// The same with the learner's own scores, which may differ from its network's logits (iCaRL).
Evaluation evaluate(Learner& learner, const Dataset& examples, std::span<const Label> labels = {},
                    const StopFlag* stop = nullptr);

// Examples to evaluate on, and the mask that applies to them.
struct TestSet {
  Dataset examples;
  std::vector<Label> labels = {};
};

// Returns what evaluate() returns for each set, bit for bit, for any number of workers, but without
// losses: these are 0, or not a number if they would not be finite. Workers of the executor that
// are idle take part, each with a copy of the learner; if none is idle, or there is no memory for a
// copy, the calling thread does the work alone. `tested` is told now and then how many images of
// all sets are done; it is never called by two threads at once. REQUIRES: as above for each set.
std::vector<Evaluation> evaluate_accuracies(
    Learner& learner, std::span<const TestSet> tests, Executor& executor,
    const StopFlag* stop = nullptr, const std::function<void(std::size_t images)>& tested = {});

}  // namespace gps
