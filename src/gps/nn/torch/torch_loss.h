// The terms of nn/loss.h for the outputs of a network, as tensors with gradients.
#pragma once

#include <torch/types.h>

#include <span>

#include "gps/nn/loss.h"

namespace gps {

struct TorchOutputs {
  torch::Tensor logits;
  torch::Tensor features;  // undefined if no term needs them
};

// Returns the part of the terms that the rows [from, to) of the batch contribute. `outputs` are the
// outputs of these rows. The result is undefined if no term covers them.
torch::Tensor loss_of(const TorchOutputs& outputs, std::span<const LossTerm> terms,
                      std::size_t from, std::size_t to);

}  // namespace gps
