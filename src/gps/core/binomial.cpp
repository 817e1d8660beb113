#include "gps/core/binomial.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace gps {

double binomial_at_least(std::size_t successes, std::size_t tries, double chance) {
  assert(chance >= 0 && chance <= 1);
  if (successes == 0) return 1;
  if (successes > tries || chance == 0) return 0;
  if (chance == 1) return 1;
  const auto n = static_cast<double>(tries);
  const double odds = std::log(chance) - std::log1p(-chance);
  double log_term = n * std::log1p(-chance);  // log of P(X = x), starting at x = 0
  double below = 0;
  double above = 0;
  for (std::size_t x = 0; x <= tries; ++x) {
    (x < successes ? below : above) += std::exp(log_term);
    const auto at = static_cast<double>(x);
    if (x < tries) log_term += std::log((n - at) / (at + 1)) + odds;
  }
  return std::min(1.0, above / (below + above));
}

}  // namespace gps
