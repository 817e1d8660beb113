#include "reports/analyses_work.h"

#include <fmt/format.h>

#include "gps/benchmarks/benchmark.h"
#include "gps/core/tell_user.h"

namespace gps::cli {
namespace {

template <typename Options>
std::vector<Analysis<Options>> missing(const std::vector<Analysis<Options>>& all, Store* store) {
  std::vector<Analysis<Options>> left;
  for (const Analysis<Options>& each : all) {
    if (store == nullptr || !recall(*store, each)) left.push_back(each);
  }
  return left;
}

template <typename Options>
void count(const std::vector<Analysis<Options>>& all, Store* store, AnalysesLeft& left) {
  for (const Analysis<Options>& each : missing(all, store)) {
    ++left.count;
    left.seconds += expected_seconds(each.options);
  }
}

template <typename Options>
std::size_t work(const std::vector<Analysis<Options>>& all, const std::filesystem::path& data,
                 Executor& executor, Store& store, StopFlag& stop) {
  const std::vector<Analysis<Options>> left = missing(all, &store);
  if (left.empty() || stop.is_requested()) return 0;
  const BenchmarkOptions& benchmark = left.front().options.spec.benchmark;
  const auto source = open_benchmark(benchmark, data);
  std::mutex mutex;
  std::size_t ended = 0;
  std::size_t failed = 0;
  const auto tell = [&](std::size_t k, bool, const std::string& error) {
    const std::lock_guard lock(mutex);
    ++ended;
    failed += error.empty() ? 0 : 1;
    tell_user("[{}/{}] {} {} seed {}: {}", ended, left.size(), Options::kKind, benchmark.name,
              left[k].seed, error.empty() ? "done" : "failed: " + error);
  };
  analyse_many<Options>(left, *source, executor, store, stop, /*again=*/false,
                        {.progress = {}, .ended = tell});
  return failed;
}

}  // namespace

AnalysesLeft analyses_left(const Analyses& all, Store* store) {
  AnalysesLeft left;
  count(all.ring_sizes, store, left);
  count(all.difficulties, store, left);
  count(all.zero_shots, store, left);
  return left;
}

std::size_t do_analyses(const Analyses& all, const std::filesystem::path& data, Executor& executor,
                        Store& store, StopFlag& stop) {
  return work(all.ring_sizes, data, executor, store, stop) +
         work(all.difficulties, data, executor, store, stop) +
         work(all.zero_shots, data, executor, store, stop);
}

}  // namespace gps::cli
