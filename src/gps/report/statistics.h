// Means over seeds and what can be said about their differences.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace gps {

struct Summary {
  double mean = 0;
  std::optional<double> deviation;  // sample standard deviation; none for a single value
};

// REQUIRES: at least one value.
Summary summarise(std::span<const double> values);

// Half the width of the 95 % confidence interval of the mean, by Student's t with n - 1 degrees of
// freedom; none for a single value. REQUIRES: at least one value.
std::optional<double> half_width_of_mean(std::span<const double> values);

// The mean of after[k] - before[k] and its 95 % confidence interval by Student's t with n - 1
// degrees of freedom. Pairs share a seed, so what the seed does to both of them cancels. There is
// no interval for a single pair.
struct PairedDifference {
  double mean = 0;
  std::optional<double> half_width;
};

// REQUIRES: as many of one as of the other, at least one.
PairedDifference paired_difference(std::span<const double> before, std::span<const double> after);

// The 97.5 % quantile of Student's t. REQUIRES: degrees >= 1.
double student_t_975(std::size_t degrees);

}  // namespace gps
