#include "gps/experiments/presets.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace gps {
namespace {

void apply_paper(Spec& spec) {
  LearnerOptions& learner = spec.learner;
  // A network that has learnt its first task without the squared error of logits has features so
  // large that, at this learning rate and α = 1, the first steps with it diverge: replay from the
  // start.
  if (learner.name == "der++") spec.in_task = InTask::running;
  learner.alpha = learner.name == "der++" ? 1.0f : 0.5f;
  learner.beta = 0.5f;
  learner.hal_lambda = 0.1f;
  learner.hal_beta = 0.5f;
  learner.hal_gamma = 0.1f;
  learner.ewc_lambda = 0.7f;
  learner.ewc_gamma = 1;
  learner.weight_decay = 0;
  learner.repeats = 1;
  learner.directions = 100;
  // The paper names none for it; at 0.1 a projection that holds to first order holds nothing.
  if (learner.name == "ogd") learner.learning_rate = 0.001f;
}

// Which of Mammoth's columns (memories of 200, 500 and 5120) is meant.
std::size_t nearest_column(int memory) {
  constexpr std::array kMemories = {200.0, 500.0, 5120.0};
  std::size_t nearest = 0;
  const auto distance = [&](std::size_t k) { return std::abs(std::log(kMemories[k] / memory)); };
  for (std::size_t k = 1; k < kMemories.size(); ++k) {
    if (distance(k) < distance(nearest)) nearest = k;
  }
  return nearest;
}

void apply_mammoth(Spec& spec) {
  LearnerOptions& learner = spec.learner;
  if (is_split(spec.benchmark.name)) {
    throw UsageError(
        fmt::format("--preset mammoth has no values for {}; it has them for permuted streams, such "
                    "as p-mnist",
                    spec.benchmark.name));
  }
  const std::size_t column = nearest_column(spec.memory);
  const auto pick = [column](std::array<float, 3> values) { return values.at(column); };
  spec.benchmark.tasks = 20;
  spec.training = {/*epochs=*/1, /*batch=*/128};
  learner.memory_batch = 128;
  learner.er_loss = ErLoss::concat;
  const std::string& name = learner.name;
  if (name == "sgd" || name == "joint" || name == "er") {
    learner.learning_rate = 0.2f;
  } else if (name == "der") {
    learner.learning_rate = 0.2f;
    learner.alpha = pick({1, 1, 0.5f});
  } else if (name == "der++") {
    learner.learning_rate = pick({0.1f, 0.2f, 0.2f});
    learner.alpha = pick({1, 1, 0.5f});
    learner.beta = pick({1, 0.5f, 1});
  } else if (name == "hal") {
    learner.learning_rate = 0.1f;
    learner.hal_lambda = 0.1f;
    learner.hal_beta = pick({0.5f, 0.3f, 0.5f});
    learner.hal_gamma = 0.1f;
    learner.hal_variant = HalVariant::mammoth;
  } else if (name == "oewc") {
    learner.learning_rate = 0.1f;
    learner.ewc_lambda = 0.7f;
    learner.ewc_gamma = 1;
  } else if (name == "gss") {
    learner.learning_rate = pick({0.2f, 0.1f, 0.03f});
    learner.repeats = 1;
    spec.gss_batch = column == 0 ? 128 : 10;
  } else if (name == "agem") {
    learner.learning_rate = 0.1f;
  } else {
    throw UsageError(
        fmt::format("--preset mammoth has no values for learner '{}'; it has them for er, sgd, "
                    "joint, der, der++, hal, oewc, gss and agem",
                    name));
  }
}

}  // namespace

const Catalog& preset_catalog() {
  static const Catalog catalog = {
      {"paper", "Appendix F", "The values of the paper: learning rate 0.1 for every method.", ""},
      {"mammoth", "(peers)",
       "The values that Mammoth's authors tuned: 20 tasks, batches of 128, 1 epoch, a learning "
       "rate for each method and memory. Permuted streams only.",
       ""},
  };
  return catalog;
}

std::string preset_policy(const std::string& preset, const std::string& learner) {
  if (preset == "mammoth" && learner == "agem") return "one-batch";
  return default_policy(learner);
}

void apply_preset(Spec& spec, const std::string& preset) {
  find(preset_catalog(), "preset", preset);
  apply_paper(spec);
  if (preset == "mammoth") apply_mammoth(spec);
}

}  // namespace gps
