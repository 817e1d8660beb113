#include "gps/core/statistics.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>

namespace gps {
namespace {

// Evaluates the continued fraction of I_x(a, b) (Abramowitz and Stegun 26.5.8) from its tail up:
// I_x is x^a (1-x)^b / (a B(a, b)) / (1 + d_1/(1 + d_2/(1 + …))). It converges fast for x <
// (a+1)/(a+b+2).
double beta_fraction(double a, double b, double x) {
  constexpr int kTerms = 200;
  double tail = 1;
  for (int n = kTerms; n >= 1; --n) {
    const double m = (n - n % 2) / 2.0;  // rounded down
    const double d = n % 2 == 0 ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                                : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    tail = 1 + d / tail;
  }
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  return front / (a * tail);
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  return x < (a + 1) / (a + b + 2) ? beta_fraction(a, b, x) : 1 - beta_fraction(b, a, 1 - x);
}

struct Pairs {
  std::vector<double> before;
  std::vector<double> after;
};

Pairs pairs_of(const BySeed& before, const BySeed& after) {
  Pairs pairs;
  for (const auto& [seed, value] : after) {
    const auto at = before.find(seed);
    if (at == before.end()) continue;
    pairs.before.push_back(at->second);
    pairs.after.push_back(value);
  }
  return pairs;
}

constexpr double kNormal975 = 1.959964;  // the 97.5 % quantile of the normal distribution

}  // namespace

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Summary summarise(std::span<const double> values) {
  assert(!values.empty());
  const auto n = static_cast<double>(values.size());
  Summary summary;
  summary.mean = mean(values);
  if (values.size() > 1) {
    double squares = 0;
    for (const double value : values) squares += (value - summary.mean) * (value - summary.mean);
    summary.deviation = std::sqrt(squares / (n - 1));
  }
  return summary;
}

Summary scaled(const Summary& summary, double factor) {
  Summary result{factor * summary.mean, {}};
  if (summary.deviation) result.deviation = factor * *summary.deviation;
  return result;
}

double student_t_975(std::size_t degrees) {
  assert(degrees >= 1);
  constexpr std::array<double, 30> kTable = {
      12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281,
      2.2010,  2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860,
      2.0796,  2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
  if (degrees <= kTable.size()) return kTable[degrees - 1];
  // Cornish-Fisher expansion around the normal quantile, good to four digits from here on.
  constexpr double z = kNormal975;
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

double half_width(double deviation, std::size_t n) {
  assert(n >= 2);
  return student_t_975(n - 1) * deviation / std::sqrt(static_cast<double>(n));
}

std::optional<double> half_width_of_mean(std::span<const double> values) {
  const Summary summary = summarise(values);
  if (!summary.deviation) return std::nullopt;
  return half_width(*summary.deviation, values.size());
}

std::vector<double> values_of(const BySeed& values) {
  std::vector<double> all;
  for (const auto& [seed, value] : values) all.push_back(value);
  return all;
}

std::optional<PairedDifference> difference(const BySeed& before, const BySeed& after) {
  const Pairs pairs = pairs_of(before, after);
  if (pairs.before.empty()) return std::nullopt;
  return paired_difference(pairs.before, pairs.after);
}

std::size_t common_seeds(const BySeed& before, const BySeed& after) {
  return pairs_of(before, after).before.size();
}

double f_above(double f, std::size_t degrees_over, std::size_t degrees_under) {
  assert(f >= 0 && degrees_over >= 1 && degrees_under >= 1);
  if (std::isinf(f)) return 0;
  const auto d1 = static_cast<double>(degrees_over);
  const auto d2 = static_cast<double>(degrees_under);
  return incomplete_beta(d2 / 2, d1 / 2, d2 / (d2 + d1 * f));
}

Interval wilson(double share, std::size_t all) {
  assert(all > 0);
  constexpr double z = kNormal975;
  const auto n = static_cast<double>(all);
  const double middle = (share + z * z / (2 * n)) / (1 + z * z / n);
  const double half =
      z / (1 + z * z / n) * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

}  // namespace gps
