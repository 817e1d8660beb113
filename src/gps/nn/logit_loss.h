// The losses of loss.h, computed from the outputs of any network.
#pragma once

#include <cstddef>
#include <span>

#include "gps/nn/loss.h"

namespace gps {

// The outputs of a network for a batch. Rows of logits are padded and aligned (aligned_floats.h).
struct NetworkOutputs {
  std::size_t rows = 0;
  std::size_t classes = 0;
  std::size_t stride = 0;
  const float* logits = nullptr;
  std::size_t feature_size = 0;
  std::size_t feature_stride = 0;
  const float* features = nullptr;
};

// Returns the sum of the terms. Sets `errors` to its gradient with respect to the logits, in rows
// of the same layout. feature_distance adds nothing to `errors`, because it does not depend on the
// logits.
double loss_of_outputs(std::span<const LossTerm> terms, const NetworkOutputs& outputs,
                       float* errors);

}  // namespace gps
