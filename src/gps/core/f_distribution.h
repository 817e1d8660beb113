// Fisher's F: is one variance larger than another, more than by chance?
#pragma once

#include <cstddef>

namespace gps {

// P(F > f), where F is the ratio of two independent estimates of one variance with so many degrees
// of freedom: I_x(d2/2, d1/2) at x = d2/(d2 + d1·f), the regularised incomplete beta function.
// 1 for f = 0, 0 for an infinite f. REQUIRES: f >= 0, both degrees >= 1.
double f_above(double f, std::size_t degrees_over, std::size_t degrees_under);

}  // namespace gps
