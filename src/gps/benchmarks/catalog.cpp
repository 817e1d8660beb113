#include <fmt/format.h>

#include "gps/benchmarks/permuted.h"

namespace gps {
namespace {

class PermutedSource final : public BenchmarkSource {
 public:
  PermutedSource(TrainTest data, BenchmarkOptions options)
      : data_(std::move(data)), options_(std::move(options)) {}

  std::unique_ptr<Benchmark> stream(std::uint64_t seed) const override {
    return std::make_unique<PermutedBenchmark>(data_, options_, Rng(seed).fork("benchmark"));
  }

 private:
  TrainTest data_;
  BenchmarkOptions options_;
};

}  // namespace

const Catalog& benchmark_catalog() {
  static const Catalog catalog = {
      {"p-mnist", "P-MNIST",
       "MNIST (60,000 + 10,000 digits); every task but the first permutes the pixels. "
       "Domain-incremental.",
       "--tasks --examples-per-task --imbalance. Looked for as mnist/ in --data, $GPSCL_DATA, the "
       "user's cache "
       "($XDG_CACHE_HOME or ~/.cache, gpscl/) and /usr/share/datasets."},
      {"p-fashion-mnist", "(not in the paper)",
       "The same with Fashion-MNIST (garments), which Debian ships: no download.",
       "--tasks --examples-per-task --imbalance"},
  };
  return catalog;
}

int classes_of(const std::string& benchmark) {
  find(benchmark_catalog(), "benchmark", benchmark);
  return 10;  // MNIST and Fashion-MNIST alike
}

void validate(const BenchmarkOptions& options) {
  find(benchmark_catalog(), "benchmark", options.name);
  constexpr int kMostTasks = 10000;
  if (options.tasks < 1 || options.tasks > kMostTasks) {
    throw UsageError(
        fmt::format("--tasks must be between 1 and {}, got {}", kMostTasks, options.tasks));
  }
  if (options.examples_per_task < 0) {
    throw UsageError(fmt::format("--examples-per-task must be at least 1 (or 0 for all), got {}",
                                 options.examples_per_task));
  }
  if (!(options.imbalance >= 1 && options.imbalance <= 1e6)) {
    throw UsageError(fmt::format("--imbalance must be between 1 (balanced) and 1000000, got {}",
                                 options.imbalance));
  }
}

std::unique_ptr<BenchmarkSource> open_benchmark(const BenchmarkOptions& options,
                                                const std::filesystem::path& data) {
  validate(options);
  const std::string set = options.name.substr(2);  // "p-mnist" -> "mnist"
  return std::make_unique<PermutedSource>(load_mnist_like(set, data), options);
}

}  // namespace gps
