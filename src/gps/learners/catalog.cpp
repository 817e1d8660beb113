#include <fmt/format.h>

#include <cmath>

#include "gps/learners/learner.h"

namespace gps {

const Catalog& learner_catalog() {
  static const Catalog catalog = {
      {"er", "ER, Eqn. 2",
       "Experience replay: each step descends the loss of the current batch plus λ times the loss "
       "of a batch drawn "
       "from memory (Chaudhry et al. 2019).",
       "--lambda --memory-batch --er-loss sum|concat"},
      {"sgd", "(lower bound)", "No memory: each task in turn, and what is forgotten is forgotten.",
       ""},
      {"joint", "(upper bound)", "No memory needed: all tasks at once, shuffled together.", ""},
  };
  return catalog;
}

void validate(const LearnerOptions& options) {
  find(learner_catalog(), "learner", options.name);
  if (!(options.learning_rate > 0) || !std::isfinite(options.learning_rate)) {
    throw UsageError(fmt::format("--lr must be a positive number, got {}", options.learning_rate));
  }
  if (options.memory_batch < 1) {
    throw UsageError(
        fmt::format("--memory-batch must be at least 1, got {}", options.memory_batch));
  }
  if (!(options.lambda >= 0) || !std::isfinite(options.lambda)) {
    throw UsageError(
        fmt::format("--lambda must be zero or a positive number, got {}", options.lambda));
  }
}

bool replays(const std::string& learner) { return learner == "er"; }

bool learns_jointly(const std::string& learner) { return learner == "joint"; }

std::unique_ptr<Learner> make_learner(const LearnerOptions& options,
                                      std::unique_ptr<Network> network) {
  validate(options);
  if (options.name == "er") return make_er(options, std::move(network));
  return make_sgd(options,
                  std::move(network));  // sgd and joint differ only in the data they are given
}

}  // namespace gps
