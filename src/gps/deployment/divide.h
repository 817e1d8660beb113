// Divides the images of a task into training and test images. No image is in both. No training
// image is one that the state already uses for testing, and no test image one that it was ever
// trained on. Images count as the same if their pixels are; a replayed image, if they are stored as
// the same bytes.
#pragma once

#include "gps/deployment/learn.h"

namespace gps {

struct Division {
  Dataset train;
  Dataset tested;
  std::vector<std::uint32_t> kept;  // rows of `tested` to store, the most wanted first
  std::size_t not_trained = 0;      // images left out of training: they are also test images
  std::size_t not_tested = 0;       // images of test/ left out: their class is not learnt now, or
                                    // the state was trained on them
};

// `tests` are the state's test examples, with room made for the task.
Division divide(const LearnState& state, const Memory& tests, const NewTask& task, const Rng& rng);

}  // namespace gps
