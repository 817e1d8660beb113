// Predicts the classes of images with a state.
#pragma once

#include <vector>

#include "gps/deployment/learn_state.h"

namespace gps {

struct Guess {
  Label label = 0;
  float probability = 0;
};

// Returns for each image the `top` likeliest classes among all known ones (all of them if there are
// fewer), the likeliest first; of equals, the class known longer comes first. Probabilities are the
// softmax of the learner's scores: logits, or, for icarl, minus squared distances to the class
// means.
std::vector<std::vector<Guess>> predict(LearnState& state, ImageRows images, std::size_t top);

}  // namespace gps
