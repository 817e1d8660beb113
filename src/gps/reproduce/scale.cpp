#include "gps/reproduce/scale.h"

#include <algorithm>

#include "gps/core/errors.h"
#include "gps/core/simd_target.h"
#include "gps/core/text/name_list.h"
#include "gps/nn/resnet18/amx_products.h"

namespace gps {
namespace {

bool is_natural(const Spec& spec) { return default_model(spec.benchmark.name) != "mlp"; }

Spec reduced(Spec spec) {
  if (!is_natural(spec)) {
    constexpr int kExamples = 5000;
    int& examples = spec.benchmark.examples_per_task;
    examples = examples == 0 ? kExamples : std::min(examples, kExamples);
    return spec;
  }
  spec.benchmark.examples_per_task = 1000;
  // At least a slot for each class, because ring-full:floor needs that.
  spec.memory = std::max(spec.memory / 2, classes_of(spec.benchmark.name));
  spec.training.epochs = 5;
  spec.policy.settings["simulation_epochs"] = 2;
  if (amx::available()) {
    spec.network.width = 20;
    spec.network.precision = Precision::bf16;
  } else {
    spec.network.model = "convnet";
  }
  return spec;
}

Spec smoke(Spec spec) {
  BenchmarkOptions& benchmark = spec.benchmark;
  const int tasks = benchmark.tasks > 20 ? 5 : benchmark.tasks > 10 ? 4 : 3;
  if (!is_split(benchmark.name)) benchmark.tasks = tasks;
  benchmark.examples_per_task = 100;
  spec.training.epochs = 1;
  spec.policy.settings["simulation_epochs"] = 1;
  // At least a slot for each class of each task, because ring-full:floor needs that.
  const int least = classes_a_task(benchmark) * benchmark.tasks;
  spec.memory = std::max(spec.memory / 10, least);
  spec.policy.settings["score_examples"] = 50;
  set_if_any(spec.learner, "anchor_steps", 2);
  set_if_any(spec.learner, "directions", 5);
  if (is_natural(spec)) {
    spec.network.model = "convnet";
    spec.network.width = 4;
  } else {
    spec.network.hidden = {16};
  }
  return spec;
}

}  // namespace

std::string name_of(Scale scale) {
  if (scale == Scale::smoke) return "smoke";
  return scale == Scale::reduced ? "reduced" : "full";
}

Scale scale_from(const std::string& name) {
  check_is_one_of("scale", name, {"smoke", "reduced", "full"});
  if (name == "smoke") return Scale::smoke;
  return name == "reduced" ? Scale::reduced : Scale::full;
}

int default_seeds(Scale scale) {
  if (scale == Scale::smoke) return 2;
  return scale == Scale::reduced ? 3 : 5;
}

Spec at_scale(Spec spec, Scale scale) {
  if (scale == Scale::reduced) spec = reduced(std::move(spec));
  if (scale == Scale::smoke) spec = smoke(std::move(spec));
  NetworkOptions& network = spec.network;
  if (network.model == "resnet18" && network.backend.empty())
    network.backend = fastest_backend(network, simd_target());
  return spec;
}

}  // namespace gps
