// P-MNIST and kin (Goodfellow et al. 2013; section 6.1 of the paper): task 1 is the data as it is,
// every later task the same data with the pixels of all images rearranged by a permutation of its
// own. Domain-incremental: the labels stay.
#pragma once

#include <map>
#include <span>

#include "gps/benchmarks/benchmark.h"
#include "gps/core/rng.h"
#include "gps/data/sets/locate.h"

namespace gps {

// How a task after the first one rearranges pixels, in the stream that is drawn from `rng`.
PixelMap permutation_of(int task, const ImageShape& shape, const Rng& rng);

// Undoes permutation_of() for images of tasks, so that people can look at them.
class PixelsPutBack {
 public:
  // Of the stream of this seed.
  PixelsPutBack(const ImageShape& shape, std::uint64_t seed);

  // The bytes of one image of the task, from 1, become what they were before it.
  void put_back(int task, std::span<std::uint8_t> image);

 private:
  ImageShape shape_;
  Rng rng_;
  std::map<int, PixelMap> maps_;  // of the tasks met so far
  std::vector<std::uint8_t> seen_;
};

// Are images of this stream, as its tasks have them, such ones?
bool has_permuted_pixels(const BenchmarkOptions& options);

class PermutedBenchmark final : public Benchmark {
 public:
  // Permutations, subsets and class orders are drawn from forks of `rng`, one for each task.
  PermutedBenchmark(TrainTest data, BenchmarkOptions options, const Rng& rng);

  int tasks() const override { return options_.tasks; }
  int classes() const override { return data_.train.classes(); }
  const ImageShape& shape() const override { return data_.train.shape(); }
  Task task(int i) const override;
  Dataset test(int i) const override;

 private:
  Dataset permuted(const Dataset& data, int task) const;

  TrainTest data_;
  BenchmarkOptions options_;
  Rng rng_;
};

}  // namespace gps
