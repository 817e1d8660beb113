// The source of a benchmark that consists of one training set and one test set.
#pragma once

#include <memory>
#include <utility>

#include "gps/benchmarks/benchmark.h"
#include "gps/core/rng.h"
#include "gps/data/sets/locate.h"

namespace gps {

// Stream: a Benchmark with a constructor (TrainTest, BenchmarkOptions, Rng).
template <typename Stream>
class StreamSource : public BenchmarkSource {
 public:
  StreamSource(TrainTest data, BenchmarkOptions options)
      : data_(std::move(data)), options_(std::move(options)) {}

  std::unique_ptr<Benchmark> stream(std::uint64_t seed) const override {
    return std::make_unique<Stream>(data_, options_, Rng(seed).fork("benchmark"));
  }

 private:
  TrainTest data_;
  BenchmarkOptions options_;
};

}  // namespace gps
