#include "gps/probes/one_minimum.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

#include "gps/core/rng.h"
#include "gps/core/statistics.h"

namespace gps {
namespace {

// Two independent draws of the standard normal distribution (Box and Muller 1958).
std::pair<double, double> normal_pair(Rng& rng) {
  const double radius = std::sqrt(-2 * std::log(1 - rng.uniform()));
  const double angle = 2 * std::numbers::pi * rng.uniform();
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

// Replaces values that are not finite by infinity, which is above all others.
std::vector<std::vector<double>> with_infinities(std::vector<std::vector<double>> curves) {
  for (auto& curve : curves) {
    for (double& value : curve) {
      if (!std::isfinite(value)) value = std::numeric_limits<double>::infinity();
    }
  }
  return curves;
}

// Replaces infinite losses by the largest finite one, because the noise cannot be estimated with
// them.
std::vector<std::vector<double>> finite(std::vector<std::vector<double>> curves) {
  double largest = std::numeric_limits<double>::lowest();
  for (const auto& curve : curves) {
    for (const double value : curve) {
      if (std::isfinite(value)) largest = std::max(largest, value);
    }
  }
  for (auto& curve : curves) {
    for (double& value : curve) {
      if (!std::isfinite(value)) value = largest;
    }
  }
  return curves;
}

double largest_size(const std::vector<std::vector<double>>& curves) {
  double largest = 0;
  for (const std::vector<double>& curve : curves) {
    for (const double value : curve) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

std::vector<double> means_of(const std::vector<std::vector<double>>& curves) {
  std::vector<double> means(curves.front().size(), 0.0);
  for (const std::vector<double>& curve : curves) {
    for (std::size_t k = 0; k < means.size(); ++k)
      means[k] += curve[k] / static_cast<double>(curves.size());
  }
  return means;
}

}  // namespace

double violation(std::span<const double> curve) {
  double worst = 0;
  if (curve.size() < 3) return worst;
  std::vector<double> lowest_after(curve.begin(), curve.end());  // from here to the end
  for (std::size_t k = curve.size() - 1; k-- > 0;)
    lowest_after[k] = std::min(curve[k], lowest_after[k + 1]);
  double lowest_before = curve.front();
  for (std::size_t k = 1; k + 1 < curve.size(); ++k) {
    const double higher = std::max(lowest_before, lowest_after[k + 1]);
    if (curve[k] > higher) worst = std::max(worst, curve[k] - higher);
    lowest_before = std::min(lowest_before, curve[k]);
  }
  return worst;
}

std::size_t minima(std::span<const double> curve) {
  std::size_t count = 0;
  bool falls = true;  // the first point counts as reached from above
  for (std::size_t k = 0; k < curve.size(); ++k) {
    const bool is_last = k + 1 == curve.size();
    if (!is_last && curve[k + 1] == curve[k]) continue;
    const bool rises_next = is_last || curve[k + 1] > curve[k];
    if (falls && rises_next) ++count;
    falls = !rises_next;
  }
  return count;
}

double noise_violation(std::size_t points) {
  if (points < 3) return 0;
  constexpr std::size_t kDraws = 10000;
  Rng rng = Rng(0).fork("noise violation", points);
  std::vector<double> violations;
  for (std::size_t n = 0; n < kDraws; ++n) {
    std::vector<double> curve;
    while (curve.size() < points) {
      const auto [a, b] = normal_pair(rng);
      curve.push_back(a);
      if (curve.size() < points) curve.push_back(b);
    }
    violations.push_back(violation(curve));
  }
  const auto at = violations.begin() + kDraws * 19 / 20;
  std::nth_element(violations.begin(), at, violations.end());
  return *at;
}

OneMinimum one_minimum(const std::vector<std::vector<double>>& given) {
  assert(!given.empty());
  const std::size_t points = given.front().size();
  const auto n = static_cast<double>(given.size());
  OneMinimum result;
  result.curves = given.size();
  for (const std::vector<double>& curve : with_infinities(given)) {
    assert(curve.size() == points);
    result.violations.push_back(violation(curve));
    if (result.violations.back() == 0) ++result.with_one;
  }
  result.mean_violation = violation(means_of(with_infinities(given)));
  if (given.size() < 2 || points < 2) return result;

  const std::vector<std::vector<double>> curves = finite(given);
  const std::vector<double> means = means_of(curves);
  const double grand = mean(means);
  double squares = 0;
  for (const std::vector<double>& curve : curves) {
    const double own = mean(curve);
    for (std::size_t k = 0; k < points; ++k)
      squares += std::pow(curve[k] - own - means[k] + grand, 2);
  }
  const std::size_t degrees = (curves.size() - 1) * (points - 1);
  result.noise = std::sqrt(squares / static_cast<double>(degrees));
  result.margin = *result.noise * noise_violation(points);
  result.mean_margin = result.margin / std::sqrt(n);
  result.with_one_beyond_noise =
      static_cast<std::size_t>(std::count_if(result.violations.begin(), result.violations.end(),
                                             [&](double each) { return each <= result.margin; }));

  // Sums round: means of equal values may differ in their last digits, so differences of that size
  // are none.
  const double rounding = 1e-12 * largest_size(curves);
  double between = 0;
  double furthest = 0;
  for (const double each : means) {
    between += n * std::pow(each - grand, 2);
    furthest = std::max(furthest, std::abs(each - grand));
  }
  if (furthest <= rounding) return result;  // the mean curve is flat
  if (*result.noise <= rounding) {
    result.flat_chance = 0;  // F is infinite
    return result;
  }
  const double f = between / static_cast<double>(points - 1) / std::pow(*result.noise, 2);
  result.flat_chance = f_above(f, points - 1, degrees);
  return result;
}

}  // namespace gps
