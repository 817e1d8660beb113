#include "gps/benchmarks/split.h"

#include <fmt/format.h>

#include <cassert>
#include <numeric>
#include <utility>

#include "gps/benchmarks/long_tailed.h"
#include "gps/core/errors.h"

namespace gps {

SplitBenchmark::SplitBenchmark(TrainTest data, BenchmarkOptions options, const Rng& rng)
    : data_(std::move(data)), options_(std::move(options)), rng_(rng) {
  assert(options_.tasks >= 1 && classes() % options_.tasks == 0);
  for (int i = 1; i <= options_.tasks; ++i) {
    const std::vector<Label> labels = labels_of(i);
    for (const auto& [name, set] : {std::pair("training", &data_.train), {"test", &data_.test}}) {
      if (part(*set, i).size() > 0) continue;
      throw DataError(fmt::format("no {} examples of the classes {} to {}, which task {} of {} has",
                                  name, labels.front(), labels.back(), i, options_.name));
    }
  }
}

std::vector<Label> SplitBenchmark::labels_of(int task) const {
  const int each = classes() / options_.tasks;
  std::vector<Label> labels(static_cast<std::size_t>(each));
  std::iota(labels.begin(), labels.end(), static_cast<Label>((task - 1) * each));
  return labels;
}

Augmentation SplitBenchmark::augmentation() const {
  constexpr Augmentation kNatural{.padding = 4, .flips = true};
  return options_.augment && shape().channels == 3 ? kNatural : Augmentation{};
}

Dataset SplitBenchmark::part(const Dataset& data, int task) const {
  const std::vector<Label> labels = labels_of(task);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < data.size(); ++row) {
    if (data.label(row) >= labels.front() && data.label(row) <= labels.back()) rows.push_back(row);
  }
  return data.subset(rows);
}

Task SplitBenchmark::task(int i) const {
  const Dataset own = part(data_.train, i);
  const auto examples = static_cast<std::size_t>(options_.examples_per_task);
  const auto rows = choose_examples(own, examples, options_.imbalance, rng_.fork("examples", i));
  return {i, own.subset(rows), labels_of(i), augmentation()};
}

Dataset SplitBenchmark::test(int i) const { return part(data_.test, i); }

}  // namespace gps
