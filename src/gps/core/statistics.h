// Statistics as pure arithmetic: means over seeds, what can be said about their differences, and
// the distributions behind that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
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

// The summary of values that are all multiplied by `factor` >= 0.
Summary scaled(const Summary& summary, double factor);

struct Interval {
  double low = 0;
  double high = 0;
};

// Half the width of the 95 % confidence interval of the mean of n values with this sample standard
// deviation, by Student's t with n - 1 degrees of freedom. REQUIRES: n >= 2.
double half_width(double deviation, std::size_t n);

// The same of these values; none for a single value. REQUIRES: at least one value.
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

// Values by seed, so that what two rows share by their seeds cancels.
using BySeed = std::map<std::uint64_t, double>;

std::vector<double> values_of(const BySeed& values);  // in the order of their seeds

// after - before, over the seeds that both have; none where they share no seed.
std::optional<PairedDifference> difference(const BySeed& before, const BySeed& after);
std::size_t common_seeds(const BySeed& before, const BySeed& after);

// The 97.5 % quantile of Student's t. REQUIRES: degrees >= 1.
double student_t_975(std::size_t degrees);

// P(F > f), where F (Fisher's) is the ratio of two independent estimates of one variance with so
// many degrees of freedom: I_x(d2/2, d1/2) at x = d2/(d2 + d1·f), the regularised incomplete beta
// function. 1 for f = 0, 0 for an infinite f. REQUIRES: f >= 0, both degrees >= 1.
double f_above(double f, std::size_t degrees_over, std::size_t degrees_under);

// The 95 % interval of a share that was found among `all`, by Wilson's score. REQUIRES: all > 0.
Interval wilson(double share, std::size_t all);

}  // namespace gps
