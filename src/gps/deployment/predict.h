// Predicts the classes of images with a state.
#pragma once

#include <vector>

#include "gps/data/loading.h"
#include "gps/deployment/learn_state.h"

namespace gps {

struct Guess {
  Label label = 0;
  float probability = 0;
};

// Returns the images as rows that predict() takes: the images themselves, or, if the state has a
// backbone, rows of features, which are written to `storage`.
std::vector<const std::uint8_t*> rows_for(const LearnState& state, ImageRows images,
                                          std::vector<std::uint8_t>& storage,
                                          const LoadHooks& hooks);

// Returns for each image the `top` likeliest classes among all known ones (all of them if there are
// fewer), the likeliest first; of equals, the class known longer comes first. Probabilities are the
// softmax of the learner's scores: logits, or, for icarl, minus squared distances to the class
// means. REQUIRES: the rows come from rows_for().
std::vector<std::vector<Guess>> predict(LearnState& state, ImageRows rows, std::size_t top);

}  // namespace gps
