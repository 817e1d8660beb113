// Benchmarks of the pieces of a P-MNIST run on one core: the ER step, evaluation, the reservoir,
// BuildM and one simulation. Compare only lines of the same run: the speed of a machine varies
// between runs.
#include <benchmark/benchmark.h>

#include "bench/setting.h"
#include "gps/simulation/global_sim.h"
#include "gps/training/evaluate.h"

namespace gps::bench {
namespace {

void er_step(benchmark::State& state) {
  const auto units = static_cast<std::size_t>(state.range(0));
  LearnerSteps steps({784, units, units, 10});
  for (auto _ : state) benchmark::DoNotOptimize(steps.step());
  state.SetLabel(std::string(kernels::target_name()) + ", " + images().set);
}
BENCHMARK(er_step)->Arg(100)->Arg(200)->Arg(400)->Unit(benchmark::kMicrosecond);

// One step of every learner, in the middle of the sixth of ten tasks.
void learner_step(benchmark::State& state, const std::string& name) {
  LearnerSteps steps({784, 100, 100, 10}, name);
  for (auto _ : state) benchmark::DoNotOptimize(steps.step());
}
const bool learner_steps_are_registered = [] {
  for (const Entry& entry : learner_catalog()) {
    if (learns_jointly(entry.name)) continue;  // takes sgd's step on other data
    benchmark::RegisterBenchmark(("learner_step/" + entry.name).c_str(), learner_step, entry.name)
        ->Unit(benchmark::kMicrosecond);
  }
  return true;
}();

// The step of er, with a memory of 784 kB that a codec stores. Nothing is stored in the step
// (`mixed` with its usual settings), so what differs from raw is the reading. All images have been
// read once before: decoded images are kept, and codec_read is what the first reading takes. The
// line of raw is what the others compare with.
void codec_step(benchmark::State& state, const std::string& text) {
  const SharedCodec codec = make_codec(text);
  const ImageShape& shape = images().data.train.shape();
  const std::size_t slots = examples_within(784000, {codec}, shape, /*logits=*/0);
  const Memory memory = filled_memory(slots, 5, codec);
  std::vector<std::uint8_t> scratch(shape.bytes());
  for (std::size_t slot = 0; slot < memory.size(); ++slot)
    benchmark::DoNotOptimize(memory.image(slot, scratch));
  LearnerSteps steps({784, 100, 100, 10}, "er", memory, InTask::strict);
  for (auto _ : state) benchmark::DoNotOptimize(steps.step());
  state.SetLabel(std::to_string(slots) + " images");
}

// What a codec takes for one image, without any memory.
void codec_store(benchmark::State& state, const std::string& text) {
  CodedImages coded(make_codec(text));
  for (auto _ : state) coded.store_next();
}
void codec_read(benchmark::State& state, const std::string& text) {
  CodedImages coded(make_codec(text));
  for (auto _ : state) coded.read_next();
}

const bool codec_pieces_are_registered = [] {
  const std::vector<std::pair<std::string, void (*)(benchmark::State&, const std::string&)>>
      pieces = {
          {"codec_step", codec_step}, {"codec_store", codec_store}, {"codec_read", codec_read}};
  for (const auto& [name, piece] : pieces) {
    for (const char* codec : {"raw", "bits:1", "bits:1/dither", "bits:2", "bits:3", "bits:4",
                              "bits:7", "down:2", "pack:24", "pack:48", "pack:256", "webp:192"}) {
      benchmark::RegisterBenchmark((name + "/" + codec).c_str(), piece, codec)
          ->Unit(benchmark::kMicrosecond);
    }
  }
  return true;
}();

// The first layer with 20 rows of bytes, whose density is given in percent, once by the path for
// sparse inputs and once by the path for dense inputs. The kernels should switch between the paths
// at the density where both are equally fast.
void path(benchmark::State& state, bool is_update, bool is_dense) {
  constexpr std::size_t kRows = 20;
  constexpr std::size_t kInputs = 784;
  constexpr std::size_t kStride = padded(100);
  Rng rng(1);
  std::vector<std::uint8_t> bytes(kRows * kInputs);
  for (std::uint8_t& byte : bytes) {
    const bool is_zero = rng.index(100) >= static_cast<std::uint64_t>(state.range(0));
    byte = is_zero ? 0 : static_cast<std::uint8_t>(1 + rng.index(255));
  }
  std::vector<const std::uint8_t*> rows;
  for (std::size_t r = 0; r < kRows; ++r) rows.push_back(bytes.data() + r * kInputs);
  std::vector<std::uint64_t> nonzero(kRows * mask_words(kInputs) + 1);
  kernels::find_nonzero(rows.data(), kRows, kInputs, nonzero.data());
  const kernels::Inputs in{.bytes = rows.data(),
                           .nonzero = nonzero.data(),
                           .rows = kRows,
                           .inputs = kInputs,
                           .density = is_dense ? 1.0f : 0.0f};
  AlignedFloats weights(kInputs * kStride);
  AlignedFloats biases(kStride);
  AlignedFloats outputs(kRows * kStride);
  for (auto _ : state) {
    if (is_update) {
      kernels::add_outer_products(in, outputs.data(), kStride, 0.1f, weights.data(), biases.data());
    } else {
      kernels::affine(in, weights.data(), biases.data(), kStride, outputs.data());
    }
    benchmark::ClobberMemory();
  }
}
BENCHMARK_CAPTURE(path, forward_sparse, false, false)
    ->DenseRange(20, 80, 30)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(path, forward_dense, false, true)
    ->DenseRange(20, 80, 30)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(path, update_sparse, true, false)
    ->DenseRange(20, 80, 30)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(path, update_dense, true, true)
    ->DenseRange(20, 80, 30)
    ->Unit(benchmark::kMicrosecond);

void evaluation_of_10000(benchmark::State& state) {
  const auto learner = paper_learner();
  const PermutedBenchmark stream(images().data, {.name = "p-mnist", .tasks = 2},
                                 Rng(0).fork("benchmark"));
  const Dataset test = stream.test(2);
  for (auto _ : state) benchmark::DoNotOptimize(evaluate(network_of(*learner), test).accuracy);
}
BENCHMARK(evaluation_of_10000)->Unit(benchmark::kMillisecond);

// What a run measures: accuracies without losses, of its learner.
void accuracies_of_10000(benchmark::State& state) {
  const auto learner = paper_learner();
  const PermutedBenchmark stream(images().data, {.name = "p-mnist", .tasks = 2},
                                 Rng(0).fork("benchmark"));
  const TestSet test{stream.test(2)};
  Executor executor(1);
  for (auto _ : state)
    benchmark::DoNotOptimize(evaluate_accuracies(*learner, {&test, 1}, executor).front().accuracy);
}
BENCHMARK(accuracies_of_10000)->Unit(benchmark::kMillisecond);

// The forward pass alone, of images that are stored as they are seen.
void logits_of_10000(benchmark::State& state) {
  const auto learner = paper_learner();
  const PermutedBenchmark stream(images().data, {.name = "p-mnist", .tasks = 2},
                                 Rng(0).fork("benchmark"));
  const Dataset test = stream.test(2).materialised();
  std::vector<const std::uint8_t*> rows;
  for (std::size_t k = 0; k < test.size(); ++k) rows.push_back(test.image(k, {}));
  std::vector<float> out(rows.size() * 10);
  for (auto _ : state) {
    network_of(*learner).logits(rows, out);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(logits_of_10000)->Unit(benchmark::kMillisecond);

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
    build_memory(memory, task, orders, Plan{.ring_size = 80});
    benchmark::DoNotOptimize(memory.size());
  }
}
BENCHMARK(build_m)->Unit(benchmark::kMicrosecond);

// One candidate after task 5 of 10: five pseudo-tasks of 1000 examples, one epoch, scored on 2000
// examples.
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
