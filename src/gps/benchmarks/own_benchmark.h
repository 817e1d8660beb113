// The stream that the user's own images make with one seed.
#pragma once

#include <memory>

#include "gps/benchmarks/benchmark.h"
#include "gps/benchmarks/own_outline.h"
#include "gps/core/rng.h"
#include "gps/data/normalisation.h"

namespace gps {

// The decoded images with their classes, tasks and splits.
struct OwnData {
  Outline outline;
  Dataset images;
  std::vector<std::vector<ChannelSums>> sums;  // by image and channel; empty for grey images
  std::size_t skipped = 0;
};

// Returns the sums of each image. Works in parallel.
std::vector<std::vector<ChannelSums>> channel_sums(const Dataset& images, const LoadHooks& hooks);

// Draws the random class order and the test examples from forks of `rng`. REQUIRES: options.own is
// given and fits the data.
std::unique_ptr<Benchmark> make_own_benchmark(std::shared_ptr<const OwnData> data,
                                              BenchmarkOptions options, const Rng& rng);

}  // namespace gps
