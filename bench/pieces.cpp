// The pieces of a P-MNIST run, one core: the whole ER step, evaluation, the reservoir, BuildM and
// one simulation. Compare lines of one run with each other; numbers of different runs differ with
// the machine's mood.
#include <benchmark/benchmark.h>

#include "bench/setting.h"
#include "gps/simulation/global_sim.h"
#include "gps/training/evaluate.h"

namespace gps::bench {
namespace {

void er_step(benchmark::State& state) {
  const auto units = static_cast<std::size_t>(state.range(0));
  ErSteps steps({784, units, units, 10});
  for (auto _ : state) benchmark::DoNotOptimize(steps.step());
  state.SetLabel(std::string(kernels::target_name()) + ", " + images().set);
}
BENCHMARK(er_step)->Arg(100)->Arg(200)->Arg(400)->Unit(benchmark::kMicrosecond);

void evaluation_of_10000(benchmark::State& state) {
  const auto learner = paper_learner();
  const PermutedBenchmark stream(images().data, {.name = "p-mnist", .tasks = 2},
                                 Rng(0).fork("benchmark"));
  const Dataset test = stream.test(2);
  for (auto _ : state) benchmark::DoNotOptimize(evaluate(learner->network(), test).accuracy);
}
BENCHMARK(evaluation_of_10000)->Unit(benchmark::kMillisecond);

void reservoir_offer(benchmark::State& state) {
  const Task task = permuted_task(1);
  Memory memory(1000, images().data.train.shape().bytes());
  const auto policy = make_reservoir();
  policy->begin_task(memory, task, Rng(1));
  Batch batch;
  const auto order = Rng(2).permutation(task.train.size());
  Rng rng(3);
  std::size_t at = 0;
  for (auto _ : state) {
    if (at + 10 > order.size()) at = 0;
    batch.gather(task, std::span(order).subspan(at, 10));
    at += 10;
    policy->observe(memory, batch, rng);
  }
}
BENCHMARK(reservoir_offer)->Unit(benchmark::kNanosecond);

void build_m(benchmark::State& state) {
  const Task task = permuted_task(6);
  const Memory before = filled_memory(1000, 5);
  const SelectionOrders orders = selection_orders(task.train, Rng(5));
  for (auto _ : state) {
    Memory memory = before;
    build_memory(memory, task, orders, 80);
    benchmark::DoNotOptimize(memory.size());
  }
}
BENCHMARK(build_m)->Unit(benchmark::kMicrosecond);

// One candidate after task 5 of 10: five pseudo-tasks of 1000 examples, one epoch, 2000 examples
// scored.
void global_simulation(benchmark::State& state) {
  const Task task = permuted_task(5);
  const Memory memory = filled_memory(1000, 4);
  const auto learner = paper_learner();
  const SelectionOrders all = selection_orders(task.train, Rng(5));
  const auto is_held_back = hold_back(task.train, Score::natural, 2000, Rng(6));
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < is_held_back.size(); ++row) {
    if (is_held_back[row]) rows.push_back(row);
  }
  const Dataset held_back = task.train.subset(rows);
  const SelectionOrders orders = all.without(is_held_back);
  std::vector<Task> future;
  for (int k = 6; k <= 10; ++k) {
    future.push_back(permuted_task(k));
    future.back().train =
        future.back().train.subset(std::vector<std::uint32_t>(rows.begin(), rows.begin() + 1000));
  }
  const Situation situation{.now = task,
                            .orders = orders,
                            .held_back = held_back,
                            .future = future,
                            .learner = *learner,
                            .memory = memory,
                            .training = {1, 10},
                            .rng = Rng(7)};
  for (auto _ : state) benchmark::DoNotOptimize(global_sim({100}, situation).accuracy);
}
BENCHMARK(global_simulation)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gps::bench

BENCHMARK_MAIN();
