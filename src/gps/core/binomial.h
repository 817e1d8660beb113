// The binomial distribution: how many of n independent tries succeed.
#pragma once

#include <cstddef>

namespace gps {

// P(X >= successes) for X ~ Bin(tries, chance), summed term by term in logarithms, so that no
// number of tries underflows. Takes time in proportion to `tries`. REQUIRES: 0 <= chance <= 1.
double binomial_at_least(std::size_t successes, std::size_t tries, double chance);

}  // namespace gps
