#include "gps/benchmarks/permuted.h"

#include <utility>

#include "gps/benchmarks/long_tailed.h"
#include "gps/data/transforms.h"

namespace gps {

PixelMap permutation_of(int task, const ImageShape& shape, const Rng& rng) {
  return random_pixel_map(shape, rng.fork("permutation", task));
}

PixelsPutBack::PixelsPutBack(const ImageShape& shape, std::uint64_t seed)
    : shape_(shape), rng_(Rng(seed).fork("benchmark")) {}

void PixelsPutBack::put_back(int task, std::span<std::uint8_t> image) {
  if (task == 1) return;
  if (!maps_.contains(task)) maps_[task] = permutation_of(task, shape_, rng_);
  const PixelMap& map = maps_[task];
  seen_.assign(image.begin(), image.end());
  for (std::size_t at = 0; at < seen_.size(); ++at)
    image[at] = seen_[at / map.size() * map.size() + map[at % map.size()]];
}

bool has_permuted_pixels(const BenchmarkOptions& options) {
  return !options.own && options.name.starts_with("p-");
}

PermutedBenchmark::PermutedBenchmark(TrainTest data, BenchmarkOptions options, const Rng& rng)
    : data_(std::move(data)), options_(std::move(options)), rng_(rng) {
  data_.test = data_.test.indexed();  // its images are rearranged again and again
}

Dataset PermutedBenchmark::permuted(const Dataset& data, int task) const {
  if (task == 1) return data;  // A24: task 1 is not permuted
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
