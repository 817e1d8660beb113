#include "gps/experiments/run.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <mutex>
#include <numeric>

#include "gps/nn/catalog.h"
#include "gps/training/evaluate.h"

namespace gps {
namespace {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::size_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

struct Row {
  std::vector<double> accuracy;
  std::vector<double> class_accuracy;
  std::vector<double> unmasked_accuracy;
};

Row evaluate_all(Learner& learner, const Benchmark& benchmark, int learnt, const StopFlag* stop) {
  Row row;
  for (int task = 1; task <= benchmark.tasks(); ++task) {
    const Evaluation end = evaluate(learner, benchmark.test(task), benchmark.labels_of(task), stop);
    if (!std::isfinite(end.loss)) {
      throw Diverged(fmt::format(
          "the loss on task {} is not a finite number after task {}; try a smaller --lr", task,
          learnt));
    }
    row.accuracy.push_back(end.accuracy);
    row.class_accuracy.push_back(end.class_accuracy);
    row.unmasked_accuracy.push_back(end.unmasked_accuracy);
  }
  return row;
}

// What is trained one after another: the benchmark's tasks, or one task made of all of them.
Task stage(const Spec& spec, const Benchmark& benchmark, int i) {
  if (!learns_jointly(spec.learner.name)) {
    const Task task = benchmark.task(i);
    return {i, task.train.materialised(), task.labels};  // each image will be seen once an epoch
  }
  std::vector<Dataset> parts;
  for (int task = 1; task <= benchmark.tasks(); ++task) parts.push_back(benchmark.task(task).train);
  return {1, Dataset::concatenated(parts)};
}

}  // namespace

RunResult run(const Spec& asked, std::uint64_t seed, const BenchmarkSource& source,
              Executor& executor, const RunHooks& hooks) {
  validate(asked);
  Spec spec = asked;
  spec.network = identified(asked.network);
  const Rng rng(seed);
  const std::unique_ptr<Benchmark> benchmark = source.stream(seed);
  const auto learner = make_learner(
      spec.learner, make_network(spec.network, benchmark->shape(), benchmark->classes(),
                                 Normalisation{}, rng.fork("network")));
  Memory memory(static_cast<std::size_t>(spec.memory), benchmark->shape().bytes());

  RunProgress progress;
  std::mutex progress_mutex;  // candidates finish on any thread
  const auto report = [&] {
    if (hooks.progress) hooks.progress(progress);
  };
  const auto policy =
      make_policy(spec, *benchmark, executor, {hooks.stop, [&] {
                                                 const std::lock_guard lock(progress_mutex);
                                                 ++progress.futures_tried;
                                                 report();
                                               }});

  RunResult result;
  result.spec = spec;
  result.seed = seed;
  ClassIncremental among_all;
  const int stages = learns_jointly(spec.learner.name) ? 1 : benchmark->tasks();

  TrainHooks train_hooks{.stop = hooks.stop, .progress = {}};
  if (hooks.progress) {
    train_hooks.progress = [&](int epoch, std::size_t steps) {
      progress.epoch = epoch;
      progress.steps_done += steps;
      report();
    };
  }

  {
    const Stopwatch watch;
    Row row = evaluate_all(*learner, *benchmark, 0, hooks.stop);
    result.accuracy_at_initialisation = std::move(row.accuracy);
    among_all.accuracy_at_initialisation = std::move(row.unmasked_accuracy);
    result.seconds.evaluation += watch.seconds();
  }
  for (int i = 1; i <= stages; ++i) {
    const Task task = stage(spec, *benchmark, i);
    const Rng task_rng = rng.fork("task", i);
    const std::size_t still_to_come =
        steps_for(task.train.size(), spec.training) * static_cast<std::size_t>(stages - i + 1);
    progress = {.task = i,
                .tasks = stages,
                .epoch = 1,
                .epochs = spec.training.epochs,
                .is_simulating = false,
                .futures_tried = 0,
                .steps_done = result.steps,
                .steps_expected = result.steps + still_to_come,
                .accuracy = {}};
    report();
    const Stopwatch training;
    result.steps +=
        train_task(*learner, *policy, memory, task, spec.training, task_rng, train_hooks);
    result.seconds.training += training.seconds();

    progress.is_simulating = spec.policy == "gps";
    report();
    const Stopwatch simulation;
    finish_task(*learner, *policy, memory, task, task_rng);
    result.seconds.simulation += simulation.seconds();

    const Stopwatch evaluation;
    Row row = evaluate_all(*learner, *benchmark, i, hooks.stop);
    result.seconds.evaluation += evaluation.seconds();

    const int seen = stages == 1 ? benchmark->tasks() : i;
    progress.accuracy =
        std::accumulate(row.accuracy.begin(), row.accuracy.begin() + seen, 0.0) / seen;
    progress.is_simulating = false;
    report();
    result.accuracy.push_back(std::move(row.accuracy));
    result.class_accuracy.push_back(std::move(row.class_accuracy));
    among_all.accuracy.push_back(std::move(row.unmasked_accuracy));
    if (spec.policy != "none")
      result.memory.push_back(composition_of(memory, i, benchmark->classes()));
  }
  result.metrics = compute_metrics(result.accuracy, result.accuracy_at_initialisation);
  result.average_class_accuracy =
      compute_metrics(result.class_accuracy, result.accuracy_at_initialisation).average_accuracy;
  if (!benchmark->labels_of(1).empty()) {
    for (int task = 1; task <= benchmark->tasks(); ++task)
      result.labels.push_back(benchmark->labels_of(task));
    among_all.metrics = compute_metrics(among_all.accuracy, among_all.accuracy_at_initialisation);
    result.class_incremental = std::move(among_all);
  }
  result.decisions = policy->decisions();
  result.peak_memory_bytes = peak_memory_bytes();
  if (hooks.finished) hooks.finished(result, *learner, memory, benchmark->shape());
  return result;
}

}  // namespace gps
