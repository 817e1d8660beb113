// Herding (Welling 2009), as iCaRL chooses its exemplars (Rebuffi et al., "iCaRL: incremental
// classifier and representation learning", 2017).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gps {

// Returns at most `count` rows of the features, in the order in which herding takes them. The
// features (of examples of one class) are scaled to length 1; μ is their mean. Each step takes,
// without replacement, the row that brings the mean of the taken rows nearest to μ. After k rows
// this is
//   argmin_x ‖μ - (f_x + Σ taken)/(k + 1)‖,
// the first of equals. μ does not depend on `count`, so a smaller selection is a prefix of a larger
// one. REQUIRES: features has whole rows of `size` values.
std::vector<std::uint32_t> herd(std::vector<float> features, std::size_t size, std::size_t count);

}  // namespace gps
