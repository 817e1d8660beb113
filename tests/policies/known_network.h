// A linear network whose answers can be computed by hand, and tasks for it. Images are one row of
// pixels, one for each class; with the identity for weights, logit c is pixel c / 255.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "gps/data/task.h"
#include "gps/learners/learner.h"
#include "gps/nn/mlp/fused_mlp.h"

namespace gps::testing {

// A learner of `classes` classes whose weights are this multiple of the identity, without bias.
inline std::unique_ptr<Learner> known_learner(std::size_t classes, float scale) {
  auto network = std::make_unique<FusedMlp>(std::vector<std::size_t>{classes, classes},
                                            Initialisation::xavier, Rng(1));
  std::vector<float> parameters(classes * classes + classes, 0);
  for (std::size_t c = 0; c < classes; ++c) parameters[c * classes + c] = scale;
  network->set_parameters(parameters);
  LearnerOptions options;
  options.name = "sgd";
  return make_learner(options, std::move(network));
}

// Of two classes: margins[row] = {label, m}. The label's pixel is m above the other one, so the
// network is right about it if m > 0, and its loss falls as m grows.
inline Task margin_task(int number, const std::vector<std::pair<Label, int>>& margins) {
  std::vector<std::uint8_t> bytes;
  std::vector<Label> labels;
  for (const auto& [label, margin] : margins) {
    const int own = margin > 0 ? margin : 0;
    const int other = margin > 0 ? 0 : -margin;
    bytes.push_back(static_cast<std::uint8_t>(label == 0 ? own : other));
    bytes.push_back(static_cast<std::uint8_t>(label == 0 ? other : own));
    labels.push_back(label);
  }
  return {number, Dataset({1, 1, 2}, bytes, labels, 2)};
}

}  // namespace gps::testing
