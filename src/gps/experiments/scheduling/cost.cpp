#include "gps/experiments/scheduling/cost.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace gps {
namespace {

constexpr double kSecondsPerUnit = 40e-6;
constexpr double kUsualTestShare = 0.2;  // share of test images among the user's own images

double examples_a_task(const BenchmarkOptions& benchmark) {
  const bool has = benchmark.examples_per_task > 0;
  if (benchmark.own) {
    const double all =
        static_cast<double>(benchmark.own->images) * (1 - kUsualTestShare) / benchmark.tasks;
    return has ? std::min<double>(benchmark.examples_per_task, all) : all;
  }
  const auto contains = [&](const char* part) {
    return benchmark.name.find(part) != std::string::npos;
  };
  const double natural = contains("imagenet") ? 100000 : 50000;
  double all = contains("cifar") || contains("imagenet") ? natural : 60000;
  if (is_split(benchmark)) all /= benchmark.tasks;
  return has ? std::min<double>(benchmark.examples_per_task, all) : all;
}

double weights_of(const std::vector<int>& hidden, double inputs = 784) {
  double weights = 0;
  for (const int units : hidden) {
    weights += inputs * units;
    inputs = units;
  }
  return weights + inputs * 10;
}

// Returns the number of pixels, in units of a 32 x 32 image.
double own_area(const ImageShape& shape) { return static_cast<double>(shape.pixels()) / 1024; }

// Returns the cost of a step of this network, relative to a step of the paper's MLP. Another MLP is
// scaled by its weights. Convolutional networks are scaled by their multiplications, starting from
// 0.7 s for a ResNet18 step on 20 images of 32 x 32.
double network_cost(const Spec& spec) {
  const NetworkOptions& network = spec.network;
  const std::optional<OwnStream>& own = spec.benchmark.own;
  if (network.model == "mlp") {
    const bool sees_pixels = own && network.backbone.empty();
    const double inputs = sees_pixels ? static_cast<double>(own->shape.bytes()) : 784;
    return weights_of(network.hidden, inputs) / weights_of({100, 100});
  }
  constexpr double kResnet18 = 17500;
  constexpr double kConvnet = 450;
  constexpr double kUsualWidth = 64;
  const double width = network.width == 0 ? 1 : network.width / kUsualWidth;
  const double area = own ? own_area(own->shape) : spec.benchmark.name == "tiny-imagenet" ? 4 : 1;
  // Nothing is known about a user's own network until the store has its first run.
  return (network.model == "resnet18" ? kResnet18 : kConvnet) * width * width * area;
}

// Returns the simulated steps over all tasks. A search tries about five sizes.
double simulated_steps(const Spec& spec) {
  if (!simulates(spec.policy)) return 0;
  constexpr double kProbes = 5;
  const SimulationOptions options = simulation_options(spec);
  const double all = examples_a_task(spec.benchmark);
  const double examples =
      options.examples == 0 ? all : std::min(all, static_cast<double>(options.examples));
  double tasks = 0;
  for (int i = 1; i < spec.benchmark.tasks; ++i) tasks += simulated_tasks(i, options);
  return kProbes * tasks * examples * options.training.epochs / options.training.batch;
}

// Returns the cost of all tests. kImage is the cost of an image in steps.
double evaluation_cost(const Spec& spec) {
  constexpr double kImage = 0.025;
  const BenchmarkOptions& benchmark = spec.benchmark;
  double images = is_split(benchmark) ? 10000.0 / benchmark.tasks : 10000.0;
  if (benchmark.own)
    images = static_cast<double>(benchmark.own->images) * kUsualTestShare / benchmark.tasks;
  if (spec.evaluation.test_images > 0)
    images = std::min<double>(images, spec.evaluation.test_images);
  const int stages = learns_jointly(spec.learner.name) ? 1 : benchmark.tasks;
  double tests = 0;
  for (int stage = 0; stage <= stages; ++stage)
    tests += static_cast<double>(tested_after(stage, stages, benchmark.tasks, spec.evaluation));
  return kImage * images * tests;
}

}  // namespace

double expected_cost(const Spec& spec) {
  const double batch = spec.training.batch;
  const double real =
      static_cast<double>(
          steps_for(static_cast<std::size_t>(examples_a_task(spec.benchmark)), spec.training)) *
      spec.benchmark.tasks;
  const double rows = batch + (replays(spec.learner.name) ? spec.learner.memory_batch : batch);
  const double steps =
      (real + simulated_steps(spec)) * relative_cost(spec.learner.name) * rows / 20;
  return (steps + evaluation_cost(spec)) * network_cost(spec);
}

SpeedEstimate::SpeedEstimate(const std::vector<StoredRun>& done) {
  for (const StoredRun& run : done) {
    double cost = 0;
    try {
      cost = expected_cost(spec_from_json(nlohmann::json::parse(run.spec)));
    } catch (const std::exception&) {
      continue;  // a run of another version says nothing about this one
    }
    for (const std::string& key : {run.spec, run.benchmark + " " + run.learner, run.benchmark}) {
      sums_[key].seconds += run.seconds;
      sums_[key].cost += cost;
    }
  }
}

double SpeedEstimate::seconds(const Spec& spec) const {
  const double cost = expected_cost(spec);
  const std::string& benchmark = spec.benchmark.name;
  for (const std::string& key :
       {to_json(spec).dump(), benchmark + " " + spec.learner.name, benchmark}) {
    const auto at = sums_.find(key);
    if (at != sums_.end()) return cost * at->second.seconds / at->second.cost;
  }
  return cost * kSecondsPerUnit;
}

double makespan(const std::vector<double>& seconds, int workers) {
  std::vector<double> free_at(static_cast<std::size_t>(workers), 0.0);
  for (const double each : seconds) *std::min_element(free_at.begin(), free_at.end()) += each;
  return *std::max_element(free_at.begin(), free_at.end());
}

}  // namespace gps
