#include "gps/report/statistics.h"

#include <array>
#include <cassert>
#include <cmath>
#include <numeric>

namespace gps {

Summary summarise(std::span<const double> values) {
  assert(!values.empty());
  const auto n = static_cast<double>(values.size());
  Summary summary;
  summary.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() > 1) {
    double squares = 0;
    for (const double value : values) squares += (value - summary.mean) * (value - summary.mean);
    summary.deviation = std::sqrt(squares / (n - 1));
  }
  return summary;
}

double student_t_975(std::size_t degrees) {
  assert(degrees >= 1);
  constexpr std::array<double, 30> kTable = {
      12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281,
      2.2010,  2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860,
      2.0796,  2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
  if (degrees <= kTable.size()) return kTable[degrees - 1];
  // Cornish-Fisher expansion around the normal quantile, good to four digits from here on.
  const double z = 1.959964;
  const auto n = static_cast<double>(degrees);
  return z + (std::pow(z, 3) + z) / (4 * n) +
         (5 * std::pow(z, 5) + 16 * std::pow(z, 3) + 3 * z) / (96 * n * n);
}

PairedDifference paired_difference(std::span<const double> before, std::span<const double> after) {
  assert(before.size() == after.size() && !before.empty());
  std::vector<double> differences;
  for (std::size_t k = 0; k < before.size(); ++k) differences.push_back(after[k] - before[k]);
  return {summarise(differences).mean, half_width_of_mean(differences)};
}

std::optional<double> half_width_of_mean(std::span<const double> values) {
  const Summary summary = summarise(values);
  if (!summary.deviation) return std::nullopt;
  const std::size_t n = values.size();
  return student_t_975(n - 1) * *summary.deviation / std::sqrt(static_cast<double>(n));
}

}  // namespace gps
