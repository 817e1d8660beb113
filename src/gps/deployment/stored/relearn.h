// Trains the network of a state anew, from new initial weights, on its stored images alone: what is
// not stored has no influence on the weights any more.
#pragma once

#include "gps/deployment/learn.h"

namespace gps {

struct Relearnt {
  std::size_t trained = 0;  // images
  std::size_t steps = 0;
  std::vector<TaskStanding> scores = {};   // `before` is that of the old weights
  std::vector<std::string> problems = {};  // why it should not be used (check_learnt.h)
};

// A class without a stored image is not known afterwards: see classes_without_images().
// Logits that were stored by the old network are replaced. Options, images, classes and the records
// of tasks stay. The mean and deviation by which pixels are normalised are still those of the first
// task. Throws UsageError if no image is stored for replay, and what train_task() throws; the state
// must not be used after that.
Relearnt relearn(LearnState& state, const StopFlag* stop = nullptr,
                 const std::function<void(std::size_t done, std::size_t all)>& progress = {});

}  // namespace gps
