// How similar the gradients of new examples are to those of stored ones (GSS). Cosines are computed
// from inner products alone; no gradient is ever built.
#pragma once

#include <vector>

#include "gps/nn/example_gradients.h"

namespace gps {

struct GradientSimilarity {
  std::vector<double> of_each;  // of each new example: its largest cosine with a group, in [-1, 1]
  double of_all = 0;            // the same for the sum of the new examples' gradients
};

// Compares the new examples with groups of references. A group is `group` consecutive references,
// whose gradients are added up; the last group may be smaller. A gradient of length zero has cosine
// 0 with everything. REQUIRES: there are references, and group >= 1.
GradientSimilarity similarity(const ExampleGradients& now, const ExampleGradients& references,
                              std::size_t group);

}  // namespace gps
