#include <fmt/format.h>

#include "gps/benchmarks/permuted.h"
#include "gps/benchmarks/split.h"

namespace gps {
namespace {

template <typename Stream>
class MnistLikeSource final : public BenchmarkSource {
 public:
  MnistLikeSource(TrainTest data, BenchmarkOptions options)
      : data_(std::move(data)), options_(std::move(options)) {}

  std::unique_ptr<Benchmark> stream(std::uint64_t seed) const override {
    return std::make_unique<Stream>(data_, options_, Rng(seed).fork("benchmark"));
  }

 private:
  TrainTest data_;
  BenchmarkOptions options_;
};

void check_division(const BenchmarkOptions& options) {
  const int classes = classes_of(options.name);
  if (options.tasks >= 1 && classes % options.tasks == 0) return;
  std::vector<std::string> divisors;
  for (int tasks = 1; tasks <= classes; ++tasks) {
    if (classes % tasks == 0) divisors.push_back(fmt::format("{}", tasks));
  }
  throw UsageError(fmt::format("--tasks must divide the {} classes of {}, so be one of {}; got {}",
                               classes, options.name, join(divisors), options.tasks));
}

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
      {"s-mnist", "(not in the paper)",
       "MNIST with its classes divided among the tasks in natural order: 0 and 1, 2 and 3, and so "
       "on. Task-incremental: a task is scored among its own classes, and among all of them too.",
       "--tasks 1, 2, 5 or 10 (5 by default); --examples-per-task --imbalance"},
      {"s-fashion-mnist", "(not in the paper)", "The same with Fashion-MNIST.",
       "--tasks 1, 2, 5 or 10 (5 by default); --examples-per-task --imbalance"},
  };
  return catalog;
}

int classes_of(const std::string& benchmark) {
  find(benchmark_catalog(), "benchmark", benchmark);
  return 10;  // MNIST and Fashion-MNIST alike
}

bool is_split(const std::string& benchmark) {
  return find(benchmark_catalog(), "benchmark", benchmark).name.starts_with("s-");
}

int default_tasks(const std::string& benchmark) { return is_split(benchmark) ? 5 : 10; }

int classes_a_task(const BenchmarkOptions& options) {
  const int classes = classes_of(options.name);
  return is_split(options.name) ? classes / options.tasks : classes;
}

void validate(const BenchmarkOptions& options) {
  if (is_split(options.name)) check_division(options);
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
  TrainTest set = load_mnist_like(options.name.substr(2), data);  // "p-mnist" -> "mnist"
  if (is_split(options.name))
    return std::make_unique<MnistLikeSource<SplitBenchmark>>(std::move(set), options);
  return std::make_unique<MnistLikeSource<PermutedBenchmark>>(std::move(set), options);
}

}  // namespace gps
