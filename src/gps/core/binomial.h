// The binomial distribution: the number of successes in n independent tries.
#pragma once

#include <cstddef>

namespace gps {

// Returns P(X >= successes) for X ~ Bin(tries, chance). Sums the terms by their logarithms, so that
// no number of tries underflows. Takes time proportional to `tries`. REQUIRES: 0 <= chance <= 1.
double binomial_at_least(std::size_t successes, std::size_t tries, double chance);

}  // namespace gps
