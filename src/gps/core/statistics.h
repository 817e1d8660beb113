// Statistics as pure arithmetic: means over seeds, confidence intervals of their differences, and
// the distributions that these need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace gps {

// The values are added in their order. NaN without values.
double mean(std::span<const double> values);

struct Summary {
  double mean = 0;
  std::optional<double> deviation;  // sample standard deviation; none for a single value
};

// REQUIRES: at least one value.
Summary summarise(std::span<const double> values);

// Returns the summary of the values multiplied by `factor`. REQUIRES: factor >= 0.
Summary scaled(const Summary& summary, double factor);

struct Interval {
  double low = 0;
  double high = 0;
};

// Returns half the width of the 95 % confidence interval of the mean of n values with this sample
// standard deviation, by Student's t with n - 1 degrees of freedom. REQUIRES: n >= 2.
double half_width(double deviation, std::size_t n);

// The same for these values; none for a single value. REQUIRES: at least one value.
std::optional<double> half_width_of_mean(std::span<const double> values);

// The mean of after[k] - before[k] and its 95 % confidence interval by Student's t with n - 1
// degrees of freedom. The two values of a pair share a seed, so the seed's effect on both cancels.
// A single pair has no interval.
struct PairedDifference {
  double mean = 0;
  std::optional<double> half_width;
};

// REQUIRES: both have the same length, at least one.
PairedDifference paired_difference(std::span<const double> before, std::span<const double> after);

// Values by seed, so that two rows can be compared over the seeds that they share.
using BySeed = std::map<std::uint64_t, double>;

std::vector<double> values_of(const BySeed& values);  // in the order of the seeds

// Returns after - before over the seeds that both have; none if they share no seed.
std::optional<PairedDifference> difference(const BySeed& before, const BySeed& after);
std::size_t common_seeds(const BySeed& before, const BySeed& after);

// The 97.5 % quantile of Student's t. REQUIRES: degrees >= 1.
double student_t_975(std::size_t degrees);

// Returns P(F > f), where F (Fisher's) is the ratio of two independent estimates of one variance
// with these degrees of freedom: I_x(d2/2, d1/2) at x = d2/(d2 + d1·f), the regularised incomplete
// beta function. Returns 1 for f = 0 and 0 for an infinite f. REQUIRES: f >= 0, both degrees >= 1.
double f_above(double f, std::size_t degrees_over, std::size_t degrees_under);

// Returns the 95 % interval of a share observed among `all` cases, by Wilson's score. REQUIRES: all
// > 0.
Interval wilson(double share, std::size_t all);

}  // namespace gps
