#include "gps/experiments/spec/spec_planning.h"

#include <utility>

#include "gps/nn/catalog.h"

namespace gps {

PlanningNeeds planning_needs(const Spec& spec, const Benchmark& benchmark, const StopFlag* stop) {
  return {.options = spec.planning,
          .method = static_cast<const Method&>(spec),
          .tasks = benchmark.tasks(),
          .is_split = is_split(spec.benchmark),
          .classes = benchmark.classes(),
          .make_network =
              [network = spec.network, &benchmark](const Rng& rng) {
                return make_network(network, benchmark.shape(), benchmark.classes(),
                                    benchmark.normalisation(), rng);
              },
          .stop = stop};
}

Rng plan_rng(std::uint64_t seed, int task) { return Rng(seed).fork("task", task).fork("plan"); }

RecipeChoice plan_first_task(const Spec& spec, std::uint64_t seed, const Benchmark& benchmark,
                             Executor& executor, const StopFlag* stop, std::function<bool()> limit,
                             std::function<void(const Recipe&)> tried) {
  PlanningNeeds needs = planning_needs(spec, benchmark, stop);
  needs.is_over = std::move(limit);
  needs.tried = std::move(tried);
  Task task = benchmark.task(1);
  task.train = task.train.materialised();
  return plan_stream(task, needs, executor, plan_rng(seed, 1));
}

}  // namespace gps
