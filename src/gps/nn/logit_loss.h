// The losses of loss.h on the outputs of a network, whatever it is made of.
#pragma once

#include <cstddef>
#include <span>

#include "gps/nn/loss.h"

namespace gps {

// What a network made of a batch. Rows of logits are padded and aligned (aligned_floats.h).
struct NetworkOutputs {
  std::size_t rows = 0;
  std::size_t classes = 0;
  std::size_t stride = 0;
  const float* logits = nullptr;
  std::size_t feature_size = 0;
  std::size_t feature_stride = 0;
  const float* features = nullptr;
};

// The sum of the terms; `errors` becomes its gradient with respect to the logits, in rows like
// theirs. feature_distance has none there.
double loss_of_outputs(std::span<const LossTerm> terms, const NetworkOutputs& outputs,
                       float* errors);

}  // namespace gps
