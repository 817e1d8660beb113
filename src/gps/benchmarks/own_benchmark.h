// The stream that a user's own images make with one seed.
#pragma once

#include <memory>

#include "gps/benchmarks/benchmark.h"
#include "gps/benchmarks/own_outline.h"
#include "gps/core/rng.h"

namespace gps {

// Sums over the pixels of one image, channel by channel: whole numbers, so that a mean over images
// does not depend on their order.
struct ChannelSums {
  std::uint64_t values = 0;
  std::uint64_t squares = 0;
};

// The images, decoded, and what is said of them.
struct OwnData {
  Outline outline;
  Dataset images;
  std::vector<std::vector<ChannelSums>> sums;  // of each image; empty for grey ones
  std::size_t skipped = 0;
};

// Of each image; in parallel.
std::vector<std::vector<ChannelSums>> channel_sums(const Dataset& images, const LoadHooks& hooks);

// Classes in random order and examples for testing are drawn from forks of `rng`. REQUIRES:
// options.own, which fits the data.
std::unique_ptr<Benchmark> make_own_benchmark(std::shared_ptr<const OwnData> data,
                                              BenchmarkOptions options, const Rng& rng);

}  // namespace gps
