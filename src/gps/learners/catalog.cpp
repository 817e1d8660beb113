#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "gps/learners/learner.h"

namespace gps {
namespace {

void require_not_negative(const char* option, float value) {
  if (!(value >= 0) || !std::isfinite(value))
    throw UsageError(fmt::format("{} must be zero or a positive number, got {}", option, value));
}

void require_share(const char* option, float value) {
  if (!(value >= 0 && value <= 1))
    throw UsageError(fmt::format("{} must be between 0 and 1, got {}", option, value));
}

void require_at_least(const char* option, int value, int least) {
  if (value < least)
    throw UsageError(fmt::format("{} must be at least {}, got {}", option, least, value));
}

}  // namespace

const Catalog& learner_catalog() {
  static const Catalog catalog = {
      {"er", "ER, Eqn. 2",
       "Experience replay: each step descends the loss of the current batch plus λ times the loss "
       "of a batch drawn "
       "from memory (Chaudhry et al. 2019).",
       "--lambda (1) --memory-batch (= --batch) --er-loss sum|concat (sum)"},
      {"der", "DER",
       "Dark experience replay: the memory's logits, stored with its examples, are matched in "
       "squared error (Buzzega et al. 2020).",
       "--alpha (0.5) --memory-batch (= --batch) --der-logits step|task-end (step)"},
      {"der++", "DER++",
       "DER, and the cross entropy of a second draw from memory (Buzzega et al. 2020).",
       "--alpha (1) --beta (0.5) --memory-batch (= --batch) --der-logits step|task-end (step)"},
      {"agem", "A-GEM",
       "Averaged gradient episodic memory: steps that would, to first order, raise the loss of a "
       "batch drawn from memory are projected (Chaudhry et al. 2019).",
       "--memory-batch (= --batch)"},
      {"gss", "GSS",
       "Gradient-based sample selection: er's update on a memory of examples whose gradients point "
       "in different directions, kept by the policy gradient (Aljundi et al. 2019).",
       "--lambda (1) --memory-batch (= --batch) --er-loss sum|concat (sum) --repeats (1)"},
      {"ogd", "OGD",
       "Orthogonal gradient descent: no memory of examples; steps are orthogonal to the gradients "
       "of logits at a few examples of each earlier task (Farajtabar et al. 2020). Its learning "
       "rate "
       "is 0.001 unless --lr says otherwise.",
       "--directions (100)"},
      {"hal", "HAL",
       "Experience replay that keeps what the network says of anchors, images made at the end of "
       "each task, one a class (Chaudhry et al. 2021).",
       "--hal-lambda (0.1) --hal-beta (0.5) --hal-gamma (0.1) --anchor-steps (100) --hal-variant "
       "mean|mammoth (mean) --lambda (1) --memory-batch (= --batch) --er-loss sum|concat (sum)"},
      {"oewc", "oEWC",
       "No memory: each weight is pulled to where earlier tasks left it, the harder the more they "
       "depended on it (Schwarz et al. 2018).",
       "--ewc-lambda (0.7) --ewc-gamma (1) --fisher empirical|exact|mammoth (empirical)"},
      {"icarl", "iCaRL",
       "For tasks that bring new classes: keeps what the last task's network says of the old ones, "
       "and predicts the class whose exemplars' mean is nearest (Rebuffi et al. 2017).",
       "--weight-decay (0) --memory-batch (= --batch)"},
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
  require_at_least("--memory-batch", options.memory_batch, 1);
  require_not_negative("--alpha", options.alpha);
  require_not_negative("--beta", options.beta);
  require_at_least("--repeats", options.repeats, 1);
  require_at_least("--directions", options.directions, 1);
  require_not_negative("--lambda", options.lambda);
  require_not_negative("--hal-lambda", options.hal_lambda);
  require_share("--hal-beta", options.hal_beta);
  require_not_negative("--hal-gamma", options.hal_gamma);
  require_at_least("--anchor-steps", options.anchor_steps, 0);
  require_not_negative("--ewc-lambda", options.ewc_lambda);
  require_share("--ewc-gamma", options.ewc_gamma);
  require_not_negative("--weight-decay", options.weight_decay);
}

double relative_cost(const std::string& learner) {
  static const std::map<std::string, double> costs = {
      {"er", 1},     {"der", 1},     {"der++", 1.4}, {"agem", 1.1}, {"gss", 2.3},   {"hal", 7.6},
      {"oewc", 1.1}, {"icarl", 1.5}, {"ogd", 21},    {"sgd", 0.5},  {"joint", 0.5},
  };
  return costs.at(learner);
}

bool replays(const std::string& learner) {
  constexpr std::array kWithout = {"sgd", "joint", "oewc", "ogd"};
  return std::find(kWithout.begin(), kWithout.end(), learner) == kWithout.end();
}

std::string default_policy(const std::string& learner) {
  if (!replays(learner)) return "none";
  if (learner == "agem") return "ring-full";
  if (learner == "gss") return "gradient";
  if (learner == "icarl") return "herding";
  return "reservoir";
}

bool learns_jointly(const std::string& learner) { return learner == "joint"; }

std::unique_ptr<Learner> make_learner(const LearnerOptions& options,
                                      std::unique_ptr<Network> network) {
  validate(options);
  if (options.name == "er" || options.name == "gss") return make_er(options, std::move(network));
  if (options.name.starts_with("der")) return make_der(options, std::move(network));
  if (options.name == "agem") return make_agem(options, std::move(network));
  if (options.name == "ogd") return make_ogd(options, std::move(network));
  if (options.name == "hal") return make_hal(options, std::move(network));
  if (options.name == "oewc") return make_oewc(options, std::move(network));
  if (options.name == "icarl") return make_icarl(options, std::move(network));
  return make_sgd(options,
                  std::move(network));  // sgd and joint differ only in the data they are given
}

}  // namespace gps
