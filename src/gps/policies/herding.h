// Herding (Welling 2009), as iCaRL chooses its exemplars (Rebuffi et al., "iCaRL: incremental
// classifier and representation learning", 2017).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gps {

// Rows of the features, in the order in which herding takes them, at most `count`. The features (of
// examples of one class) are scaled to length one; μ is their mean. Each step takes, without
// replacement, the row that brings the mean of those taken nearest to μ:
//   argmin_x ‖μ - (f_x + Σ taken)/(k + 1)‖,
// the first of equals. μ is the same for any count, so a smaller choice is a prefix of a larger
// one. REQUIRES: features has whole rows of `size`.
std::vector<std::uint32_t> herd(std::vector<float> features, std::size_t size, std::size_t count);

}  // namespace gps
