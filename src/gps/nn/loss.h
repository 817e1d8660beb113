// A loss is data: a learner describes a step as a short list of terms over rows of the batch, and
// the network executes it in its own best way. Eqn. 2 of the paper, for instance, is two terms:
//   {rows 0..9, cross entropy with these labels, weight 1}, {rows 10..19, cross entropy with those,
//   weight λ}.
#pragma once

#include <cstddef>
#include <span>

#include "gps/data/dataset.h"

namespace gps {

// weight * mean over the rows [first, first + labels.size()) of  -log softmax(logits)[label].
struct CrossEntropy {
  std::size_t first = 0;
  std::span<const Label> labels;
  float weight = 1;
};

using LossTerm = CrossEntropy;

}  // namespace gps
