// What a state says of images.
#pragma once

#include <vector>

#include "gps/deployment/learn_state.h"

namespace gps {

struct Guess {
  Label label = 0;
  float probability = 0;
};

// For each image the `top` likeliest classes among all that are known (all of them if there are
// fewer), the likeliest first; of equals the one known longer. Probabilities are the softmax of the
// learner's scores: logits, or, for icarl, minus squared distances to the means of classes.
std::vector<std::vector<Guess>> predict(LearnState& state, ImageRows images, std::size_t top);

}  // namespace gps
