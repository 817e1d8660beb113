#include "gps/benchmarks/permuted.h"

#include <utility>

#include "gps/benchmarks/long_tailed.h"
#include "gps/data/transforms.h"

namespace gps {

PixelMap permutation_of(int task, const ImageShape& shape, const Rng& rng) {
  return random_pixel_map(shape, rng.fork("permutation", task));
}

PermutedBenchmark::PermutedBenchmark(TrainTest data, BenchmarkOptions options, const Rng& rng)
    : data_(std::move(data)), options_(std::move(options)), rng_(rng) {}

Dataset PermutedBenchmark::permuted(const Dataset& data, int task) const {
  if (task == 1) return data;  // A24
  return data.rearranged(permutation_of(task, data.shape(), rng_));
}

Task PermutedBenchmark::task(int i) const {
  const auto examples = static_cast<std::size_t>(options_.examples_per_task);
  const auto rows =
      choose_examples(data_.train, examples, options_.imbalance, rng_.fork("examples", i));
  return {i, permuted(data_.train.subset(rows), i)};
}

Dataset PermutedBenchmark::test(int i) const { return permuted(data_.test, i); }

}  // namespace gps
