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
      {"hal", "HAL",
       "Experience replay that keeps what the network says of anchors, images made at the end of "
       "each task, one a class (Chaudhry et al. 2021).",
       "--hal-lambda --hal-beta --hal-gamma --anchor-steps --hal-variant mean|mammoth --lambda "
       "--memory-batch --er-loss sum|concat"},
      {"oewc", "oEWC",
       "No memory: each weight is pulled to where earlier tasks left it, the harder the more they "
       "depended on it (Schwarz et al. 2018).",
       "--ewc-lambda --ewc-gamma --fisher empirical|exact|mammoth"},
      {"icarl", "iCaRL",
       "For tasks that bring new classes: keeps what the last task's network says of the old ones, "
       "and predicts the class whose exemplars' mean is nearest (Rebuffi et al. 2017).",
       "--weight-decay --memory-batch"},
      {"sgd", "(lower bound)", "No memory: each task in turn, and what is forgotten is forgotten.",
       ""},
      {"joint", "(upper bound)", "No memory needed: all tasks at once, shuffled together.", ""},
  };
  return catalog;
}

namespace {

void require_not_negative(const char* option, float value) {
  if (!(value >= 0) || !std::isfinite(value))
    throw UsageError(fmt::format("{} must be zero or a positive number, got {}", option, value));
}

void require_share(const char* option, float value) {
  if (!(value >= 0 && value <= 1))
    throw UsageError(fmt::format("{} must be between 0 and 1, got {}", option, value));
}

}  // namespace

void validate(const LearnerOptions& options) {
  find(learner_catalog(), "learner", options.name);
  if (!(options.learning_rate > 0) || !std::isfinite(options.learning_rate)) {
    throw UsageError(fmt::format("--lr must be a positive number, got {}", options.learning_rate));
  }
  if (options.memory_batch < 1) {
    throw UsageError(
        fmt::format("--memory-batch must be at least 1, got {}", options.memory_batch));
  }
  require_not_negative("--lambda", options.lambda);
  require_not_negative("--hal-lambda", options.hal_lambda);
  require_share("--hal-beta", options.hal_beta);
  require_not_negative("--hal-gamma", options.hal_gamma);
  if (options.anchor_steps < 0) {
    throw UsageError(
        fmt::format("--anchor-steps must be at least 0, got {}", options.anchor_steps));
  }
  require_not_negative("--ewc-lambda", options.ewc_lambda);
  require_share("--ewc-gamma", options.ewc_gamma);
  require_not_negative("--weight-decay", options.weight_decay);
}

bool replays(const std::string& learner) {
  return learner == "er" || learner == "hal" || learner == "icarl";
}

bool learns_jointly(const std::string& learner) { return learner == "joint"; }

std::unique_ptr<Learner> make_learner(const LearnerOptions& options,
                                      std::unique_ptr<Network> network) {
  validate(options);
  if (options.name == "er") return make_er(options, std::move(network));
  if (options.name == "hal") return make_hal(options, std::move(network));
  if (options.name == "oewc") return make_oewc(options, std::move(network));
  if (options.name == "icarl") return make_icarl(options, std::move(network));
  return make_sgd(options,
                  std::move(network));  // sgd and joint differ only in the data they are given
}

}  // namespace gps
