// How much the gradients of new examples look like those of stored ones (GSS). Cosines come from
// inner products alone; no gradient is ever written out.
#pragma once

#include <vector>

#include "gps/nn/example_gradients.h"

namespace gps {

struct GradientSimilarity {
  std::vector<double> of_each;  // of every new example: its largest cosine with a group, in [-1, 1]
  double of_all = 0;            // the same of the sum of the new examples' gradients
};

// The references are compared group by group: `group` of them in a row, whose gradients are added
// up; the last group may be smaller. A gradient of length zero has cosine 0 with everything.
// REQUIRES: there are references, and group >= 1.
GradientSimilarity similarity(const ExampleGradients& now, const ExampleGradients& references,
                              std::size_t group);

}  // namespace gps
