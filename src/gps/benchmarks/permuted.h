// P-MNIST and similar streams (Goodfellow et al. 2013; section 6.1 of the paper): task 1 is the
// unchanged data, and every later task is the same data with the pixels of all images rearranged by
// the task's own permutation. Domain-incremental: the labels stay the same.
#pragma once

#include <map>
#include <span>

#include "gps/benchmarks/benchmark.h"
#include "gps/core/rng.h"
#include "gps/data/sets/locate.h"

namespace gps {

// Returns how a task after the first rearranges pixels, in the stream drawn from `rng`.
PixelMap permutation_of(int task, const ImageShape& shape, const Rng& rng);

// Undoes permutation_of() for the images of tasks, so that people can look at them.
class PixelsPutBack {
 public:
  // For the stream of this seed.
  PixelsPutBack(const ImageShape& shape, std::uint64_t seed);

  // Restores one image of the task (counted from 1) to its state before the permutation.
  void put_back(int task, std::span<std::uint8_t> image);

 private:
  ImageShape shape_;
  Rng rng_;
  std::map<int, PixelMap> maps_;  // of the tasks seen so far
  std::vector<std::uint8_t> seen_;
};

// Returns whether the tasks of this stream permute the pixels of their images.
bool has_permuted_pixels(const BenchmarkOptions& options);

class PermutedBenchmark final : public Benchmark {
 public:
  // Draws permutations, subsets and class orders from forks of `rng`, one for each task.
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
