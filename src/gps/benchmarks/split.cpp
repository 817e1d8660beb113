#include "gps/benchmarks/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "gps/benchmarks/class_order.h"
#include "gps/benchmarks/long_tailed.h"
#include "gps/core/errors.h"
#include "gps/data/features.h"

namespace gps {

SplitBenchmark::SplitBenchmark(TrainTest data, BenchmarkOptions options, const Rng& rng)
    : data_(std::move(data)),
      options_(std::move(options)),
      rng_(rng),
      order_(class_order(options_.class_order, classes(), rng.fork("class order"))) {
  assert(options_.tasks >= 1 && classes() % options_.tasks == 0);
  for (int i = 1; i <= options_.tasks; ++i) {
    for (const auto& [name, set] : {std::pair("training", &data_.train), {"test", &data_.test}}) {
      if (part(*set, i).size() > 0) continue;
      throw DataError(fmt::format("no {} examples of the classes {} of task {} of {}", name,
                                  fmt::join(labels_of(i), ", "), i, options_.name));
    }
  }
}

std::vector<Label> SplitBenchmark::labels_of(int task) const {
  const int each = classes() / options_.tasks;
  const auto first = order_.begin() + static_cast<std::ptrdiff_t>(task - 1) * each;
  std::vector<Label> labels(first, first + each);
  std::sort(labels.begin(), labels.end());
  return labels;
}

Augmentation SplitBenchmark::augmentation() const {
  constexpr Augmentation kNatural{.padding = 4, .flips = true};
  return options_.augment && shape().channels == 3 ? kNatural : Augmentation{};
}

Normalisation SplitBenchmark::normalisation() const {
  return are_features(shape()) ? feature_normalisation(task(1).train)
                               : normalisation_of(options_.name);
}

Dataset SplitBenchmark::part(const Dataset& data, int task) const {
  std::vector<bool> is_own(order_.size());
  for (const Label label : labels_of(task)) is_own[label] = true;
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < data.size(); ++row) {
    if (is_own[data.label(row)]) rows.push_back(row);
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
