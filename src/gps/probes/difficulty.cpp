#include "gps/probes/difficulty.h"
#include "gps/core/option.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "gps/nn/catalog.h"
#include "gps/probes/json.h"
#include "gps/probes/pseudo_tasks.h"
#include "gps/training/evaluate.h"

namespace gps {
namespace {

Spec alone(Spec spec) {
  spec.learner.name = "sgd";
  spec.policy.name = "none";
  return spec;
}

}  // namespace

Difficulty Difficulty::from_json(const nlohmann::json& json) {
  Difficulty result;
  for (const nlohmann::json& each : json.at("tasks")) {
    result.tasks.push_back({each.at("task").get<int>(), each.at("accuracy").get<double>(),
                            loss_from(each.at("loss")), each.at("train_accuracy").get<double>()});
  }
  return result;
}

nlohmann::json to_json(const Difficulty& result) {
  nlohmann::json tasks = nlohmann::json::array();
  for (const LearntAlone& each : result.tasks) {
    tasks.push_back({{"task", each.task},
                     {"accuracy", each.accuracy},
                     {"loss", each.loss},
                     {"train_accuracy", each.train_accuracy}});
  }
  return {{"tasks", std::move(tasks)}};
}

void validate(const DifficultyOptions& options) {
  validate(alone(options.spec));
  check_task_source(options.source);
  const int tasks = options.spec.benchmark.tasks;
  if (options.task < 1 || options.task > tasks)
    throw OptionError(
        "task", fmt::format("must be between 1 and the {} tasks, got {}", tasks, options.task));
  check_count(options.count);
}

nlohmann::json to_json(const DifficultyOptions& options) {
  return {{"spec", to_json(alone(options.spec))},
          {"source", options.source},
          {"task", options.task},
          {"count", options.count}};
}

Difficulty analyse(const DifficultyOptions& options, std::uint64_t seed,
                   const BenchmarkSource& source, Executor& executor, const ProbeHooks& hooks) {
  validate(options);
  const Spec spec = alone(options.spec);
  const Rng rng(seed);
  const std::unique_ptr<Benchmark> benchmark = source.stream(seed);
  const bool is_real = options.source == "real";
  const int now = is_real ? options.task - 1 : options.task;
  const auto tasks = tasks_after(now, options.count, options.source, *benchmark, seed);
  const auto tests = tests_after(now, options.count, options.source, *benchmark, seed);
  TaskTally tally(hooks, tasks.size());
  Difficulty result;
  result.tasks.resize(tasks.size());
  executor.for_each(tasks.size(), [&](std::size_t k) {
    Task task = tasks[k];
    task.train = task.train.materialised();
    const auto learner = make_learner(
        spec.learner, make_network(spec.network, benchmark->shape(), benchmark->classes(),
                                   benchmark->normalisation(), rng.fork("network")));
    const auto policy = make_no_memory();
    Memory none(/*capacity=*/1, benchmark->shape(), benchmark->augmentation());
    const TrainHooks train_hooks{.stop = hooks.stop, .progress = {}};
    train_task(*learner, *policy, none, task, spec.training, rng.fork("task", task.number),
               train_hooks);
    const Evaluation end = evaluate(*learner, tests[k].examples, tests[k].labels, hooks.stop);
    const Evaluation own = evaluate(*learner, task.train, task.labels, hooks.stop);
    const int number = is_real ? task.number : task.number - options.task;
    result.tasks[k] = {number, end.accuracy, end.loss, own.accuracy};
    tally.add();
  });
  return result;
}

double variance_of_accuracy(const Difficulty& result) {
  double sum = 0;
  double squares = 0;
  for (const LearntAlone& each : result.tasks) sum += 100 * each.accuracy;
  const auto n = static_cast<double>(result.tasks.size());
  for (const LearntAlone& each : result.tasks)
    squares += std::pow(100 * each.accuracy - sum / n, 2);
  return squares / n;
}

}  // namespace gps
