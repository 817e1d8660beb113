#include "gps/probes/prefix.h"

#include "gps/experiments/method_memory.h"
#include "gps/nn/catalog.h"

namespace gps {

Task Prefix::task(int i) const {
  Task task = benchmark->task(i);
  task.train = task.train.materialised();
  return task;
}

Prefix learn_first(int tasks, const Spec& spec, std::uint64_t seed, const BenchmarkSource& source,
                   Executor& executor, const StopFlag* stop, TaskTally& tally) {
  const Rng rng(seed);
  std::unique_ptr<Benchmark> benchmark = source.stream(seed);
  auto learner = make_learner(spec.learner,
                              make_network(spec.network, benchmark->shape(), benchmark->classes(),
                                           benchmark->normalisation(), rng.fork("network")));
  Memory memory =
      make_memory(spec, benchmark->shape(), benchmark->augmentation(), benchmark->classes());
  Spec counted = spec;
  count_in_examples(counted, benchmark->shape(), benchmark->classes());
  Prefix prefix{rng, std::move(benchmark), std::move(learner), std::move(memory)};
  SimulationHooks hooks;
  hooks.stop = stop;
  const auto policy =
      make_policy(counted, outlook_of(spec.benchmark), prefix.benchmark.get(), executor, hooks);
  const TrainHooks train_hooks{.stop = stop, .progress = {}};
  for (int i = 1; i <= tasks; ++i) {
    const Task task = prefix.task(i);
    const Rng task_rng = rng.fork("task", i);
    train_task(*prefix.learner, *policy, prefix.memory, task, spec.training, task_rng, train_hooks);
    finish_task(*prefix.learner, *policy, prefix.memory, task, task_rng);
    tally.add();
  }
  return prefix;
}

}  // namespace gps
