#include "gps/benchmarks/long_tailed.h"

#include <algorithm>
#include <cmath>

namespace gps {

std::vector<std::size_t> long_tailed_counts(std::size_t examples, int classes, double imbalance) {
  std::vector<std::size_t> counts;
  const double commonest = static_cast<double>(examples) / classes;
  for (int k = 0; k < classes; ++k) {
    const double share =
        classes == 1 ? 1.0 : std::pow(imbalance, -static_cast<double>(k) / (classes - 1));
    counts.push_back(static_cast<std::size_t>(std::max(1L, std::lround(commonest * share))));
  }
  return counts;
}

std::vector<std::uint32_t> choose_examples(const Dataset& data, std::size_t examples,
                                           double imbalance, const Rng& rng) {
  const std::size_t wanted = examples == 0 ? data.size() : std::min(examples, data.size());
  std::vector<std::uint32_t> rows;
  if (imbalance == 1) {
    rows = rng.fork("subset").permutation(data.size());
    rows.resize(wanted);
    return rows;
  }
  auto by_class = data.rows_by_class();
  std::vector<std::size_t> present;
  for (std::size_t c = 0; c < by_class.size(); ++c) {
    if (!by_class[c].empty()) present.push_back(c);
  }
  const auto counts = long_tailed_counts(wanted, static_cast<int>(present.size()), imbalance);
  const auto order = rng.fork("class order").permutation(present.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const std::size_t label = present[order[rank]];
    std::vector<std::uint32_t>& of_class = by_class[label];
    rng.fork("class", label).shuffle(std::span(of_class));
    of_class.resize(std::min(counts[rank], of_class.size()));
    rows.insert(rows.end(), of_class.begin(), of_class.end());
  }
  rng.fork("order").shuffle(std::span(rows));
  return rows;
}

}  // namespace gps
