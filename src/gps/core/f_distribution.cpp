#include "gps/core/f_distribution.h"

#include <cassert>
#include <cmath>

namespace gps {
namespace {

// The continued fraction of I_x(a, b) (Abramowitz and Stegun 26.5.8), from its tail up: I_x is
// x^a (1-x)^b / (a B(a, b)) / (1 + d_1/(1 + d_2/(1 + …))). It converges fast for x < (a+1)/(a+b+2).
double beta_fraction(double a, double b, double x) {
  constexpr int kTerms = 200;
  double tail = 1;
  for (int n = kTerms; n >= 1; --n) {
    const double m = n / 2;  // whole
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

}  // namespace

double f_above(double f, std::size_t degrees_over, std::size_t degrees_under) {
  assert(f >= 0 && degrees_over >= 1 && degrees_under >= 1);
  if (std::isinf(f)) return 0;
  const auto d1 = static_cast<double>(degrees_over);
  const auto d2 = static_cast<double>(degrees_under);
  return incomplete_beta(d2 / 2, d1 / 2, d2 / (d2 + d1 * f));
}

}  // namespace gps
