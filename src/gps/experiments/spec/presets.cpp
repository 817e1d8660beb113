#include "gps/experiments/spec/presets.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "gps/data/usual_settings.h"
#include "gps/experiments/spec/spec_options.h"

namespace gps {
namespace {

// Sets the options for which the paper (Appendix F) has a value: the rows of the table say which.
// What else it names is what the options are by themselves.
void apply_paper(Method& method, const std::string& stream) {
  for (const MethodOption& option : method_options()) {
    const bool is_anothers = option.family == "learner" && !option.concerns(method);
    if (option.row.in_paper.empty() || is_anothers || option.row.key == "memory") continue;
    option.set(method, paper_value(option.row, stream, method.learner.name));
  }
  method.learner.memory_batch = method.training.batch;
}

// Returns the column of Mammoth's table (memories of 200, 500 and 5120) that is nearest to this
// memory.
std::size_t nearest_column(int memory) {
  constexpr std::array kMemories = {200.0, 500.0, 5120.0};
  std::size_t nearest = 0;
  const auto distance = [&](std::size_t k) { return std::abs(std::log(kMemories[k] / memory)); };
  for (std::size_t k = 1; k < kMemories.size(); ++k) {
    if (distance(k) < distance(nearest)) nearest = k;
  }
  return nearest;
}

// One cell of Mammoth's table: a value for each of the memories 200, 500 and 5120.
using Triple = std::array<double, 3>;
constexpr Triple all_of(double value) { return {value, value, value}; }

// The values that Mammoth's authors tuned for one method on one benchmark.
struct MammothValues {
  std::string benchmark;
  std::string learner;
  Triple rate;
  Triple alpha = {};
  Triple beta = {};        // der++, hal
  Triple hal_lambda = {};  // with γ = 0.1 everywhere
  double ewc_lambda = 0;   // with γ = 1 everywhere
  Triple gss_batch = {};
  double weight_decay = 0;
};

const std::vector<MammothValues>& mammoth_table() {
  static const std::vector<MammothValues> table = {
      {.benchmark = "p-", .learner = "sgd", .rate = all_of(0.2)},
      {.benchmark = "p-", .learner = "er", .rate = all_of(0.2)},
      {.benchmark = "p-", .learner = "der", .rate = all_of(0.2), .alpha = {1, 1, 0.5}},
      {.benchmark = "p-",
       .learner = "der++",
       .rate = {0.1, 0.2, 0.2},
       .alpha = {1, 1, 0.5},
       .beta = {1, 0.5, 1}},
      {.benchmark = "p-",
       .learner = "hal",
       .rate = all_of(0.1),
       .beta = {0.5, 0.3, 0.5},
       .hal_lambda = all_of(0.1)},
      {.benchmark = "p-", .learner = "oewc", .rate = all_of(0.1), .ewc_lambda = 0.7},
      {.benchmark = "p-", .learner = "gss", .rate = {0.2, 0.1, 0.03}, .gss_batch = {128, 10, 10}},
      {.benchmark = "p-", .learner = "agem", .rate = all_of(0.1)},

      {.benchmark = "s-cifar-10", .learner = "sgd", .rate = all_of(0.1)},
      {.benchmark = "s-cifar-10", .learner = "er", .rate = all_of(0.1)},
      {.benchmark = "s-cifar-10", .learner = "der", .rate = all_of(0.03), .alpha = all_of(0.3)},
      {.benchmark = "s-cifar-10",
       .learner = "der++",
       .rate = all_of(0.03),
       .alpha = {0.1, 0.2, 0.1},
       .beta = {0.5, 0.5, 1}},
      {.benchmark = "s-cifar-10",
       .learner = "hal",
       .rate = all_of(0.03),
       .beta = {0.5, 0.3, 0.3},
       .hal_lambda = {0.2, 0.1, 0.1}},
      {.benchmark = "s-cifar-10", .learner = "oewc", .rate = all_of(0.03), .ewc_lambda = 10},
      {.benchmark = "s-cifar-10", .learner = "gss", .rate = all_of(0.03), .gss_batch = all_of(32)},
      {.benchmark = "s-cifar-10", .learner = "agem", .rate = all_of(0.03)},
      {.benchmark = "s-cifar-10",
       .learner = "icarl",
       .rate = {0.1, 0.1, 0.03},
       .weight_decay = 1e-5},

      {.benchmark = "s-cifar-100", .learner = "sgd", .rate = all_of(0.03)},
      {.benchmark = "s-cifar-100", .learner = "er", .rate = all_of(0.1)},
      {.benchmark = "s-cifar-100", .learner = "der", .rate = all_of(0.03), .alpha = all_of(0.3)},
      {.benchmark = "s-cifar-100",
       .learner = "der++",
       .rate = all_of(0.03),
       .alpha = all_of(0.1),
       .beta = all_of(0.5)},
      {.benchmark = "s-cifar-100",
       .learner = "hal",
       .rate = all_of(0.03),
       .beta = all_of(0.3),
       .hal_lambda = all_of(0.1)},
      {.benchmark = "s-cifar-100", .learner = "icarl", .rate = all_of(0.3), .weight_decay = 1e-5},

      {.benchmark = "tiny-imagenet", .learner = "sgd", .rate = all_of(0.03)},
      {.benchmark = "tiny-imagenet", .learner = "er", .rate = {0.1, 0.03, 0.1}},
      {.benchmark = "tiny-imagenet", .learner = "der", .rate = all_of(0.03), .alpha = all_of(0.1)},
      {.benchmark = "tiny-imagenet",
       .learner = "der++",
       .rate = all_of(0.03),
       .alpha = {0.1, 0.2, 0.1},
       .beta = {1, 0.5, 0.5}},
      {.benchmark = "tiny-imagenet", .learner = "oewc", .rate = all_of(0.03), .ewc_lambda = 25},
      {.benchmark = "tiny-imagenet", .learner = "agem", .rate = all_of(0.01)},
      {.benchmark = "tiny-imagenet",
       .learner = "icarl",
       .rate = all_of(0.03),
       .weight_decay = 1e-5},
  };
  return table;
}

const MammothValues& mammoth_values(const BenchmarkOptions& stream, const std::string& learner) {
  const std::string& benchmark = stream.name;
  const std::string row = stream.own ? "" : benchmark.starts_with("p-") ? "p-" : benchmark;
  const std::string method = learner == "joint" ? "sgd" : learner;
  std::vector<std::string> known;
  for (const MammothValues& values : mammoth_table()) {
    if (values.benchmark != row) continue;
    if (values.learner == method) return values;
    known.push_back(values.learner);
  }
  if (known.empty()) {
    throw OptionError(
        "preset",
        fmt::format("mammoth has no values for {}, only for permuted streams such as p-mnist, "
                    "s-cifar-10, s-cifar-100 and tiny-imagenet",
                    benchmark));
  }
  throw OptionError("preset",
                    fmt::format("mammoth has no values for learner '{}' on {}, only for joint, {}",
                                learner, benchmark, join(known)));
}

void apply_mammoth(Spec& spec) {
  LearnerOptions& learner = spec.learner;
  const MammothValues& values = mammoth_values(spec.benchmark, learner.name);
  const std::size_t column = nearest_column(spec.memory);
  if (values.benchmark == "p-") {
    spec.benchmark.tasks = 20;
    spec.training = {/*epochs=*/1, /*batch=*/128};
  } else {
    spec.training = {/*epochs=*/values.benchmark == "tiny-imagenet" ? 100 : 50, /*batch=*/32};
  }
  learner.memory_batch = spec.training.batch;
  set_if_any(learner, "er_loss", "concat");
  learner.learning_rate = static_cast<float>(values.rate.at(column));
  set_if_any(learner, "alpha", values.alpha.at(column));
  set_if_any(learner, "beta", values.beta.at(column));
  set_if_any(learner, "hal_lambda", values.hal_lambda.at(column));
  set_if_any(learner, "hal_beta", values.beta.at(column));
  set_if_any(learner, "hal_variant", "mammoth");
  set_if_any(learner, "ewc_lambda", values.ewc_lambda);
  set_if_any(learner, "weight_decay", values.weight_decay);
  if (learner.name == "gss")
    spec.policy.settings["gss_batch"] = static_cast<int>(values.gss_batch.at(column));
}

}  // namespace

const Catalog& preset_catalog() {
  static const Catalog catalog = {
      {"paper", "Appendix F", "The values of the paper: learning rate 0.1 for every method."},
      {"mammoth", "(peers)",
       "The values that Mammoth's authors tuned: a learning rate for each method and memory. "
       "Permuted streams: 20 tasks, batches of 128, 1 epoch; s-cifar-10, s-cifar-100, "
       "tiny-imagenet: batches of 32, 50, 50 and 100 epochs."},
  };
  return catalog;
}

int default_memory(const std::string& benchmark) {
  return std::get<int>(paper_value(spec_option("memory").row, benchmark, ""));
}

std::string preset_policy(const std::string& preset, const std::string& learner) {
  if (preset == "mammoth" && learner == "agem") return "one-batch";
  return default_policy(learner);
}

void apply_preset(Spec& spec, const std::string& preset) {
  find(preset_catalog(), "preset", preset);
  apply_paper(spec, treated_as(spec.benchmark));
  if (preset == "mammoth") apply_mammoth(spec);
}

Method paper_method(const std::string& learner, const std::string& model) {
  Method method;
  method.learner.name = find(learner_catalog(), "learner", learner).name;
  method.network.model = model;
  apply_paper(method, "p-mnist");
  if (model != "mlp") {
    const Option& alpha = spec_option("alpha").row;
    set_if_any(method.learner, "alpha", paper_value(alpha, "s-cifar-10", learner));
  }
  return method;
}

Spec preset_spec(const std::string& preset, const BenchmarkOptions& stream,
                 const std::string& learner, int memory) {
  Spec spec;
  spec.benchmark = stream;
  spec.network.model = default_model(treated_as(stream));
  spec.learner.name = find(learner_catalog(), "learner", learner).name;
  spec.memory = memory;
  apply_preset(spec, preset);
  return spec;
}

void set_for_backbone(Spec& spec, const std::string& preset) {
  spec.network.model = "mlp";
  if (preset != "paper") return;
  apply_paper(spec, "p-mnist");
  const UsualSettings usual =
      usual_settings({.learner = spec.learner.name, .model = spec.network.model});
  if (spec.learner.name != "ogd") spec.learner.learning_rate = usual.learning_rate;
}

Spec preset_spec(const std::string& preset, const std::string& benchmark,
                 const std::string& learner, int memory) {
  BenchmarkOptions stream;
  stream.name = find(benchmark_catalog(), "benchmark", benchmark).name;
  stream.tasks = default_tasks(benchmark);
  return preset_spec(preset, stream, learner, memory);
}

}  // namespace gps
