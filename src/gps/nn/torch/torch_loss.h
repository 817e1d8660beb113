// The terms of nn/loss.h over a network's outputs, as tensors that know their gradients.
#pragma once

#include <torch/types.h>

#include <span>

#include "gps/nn/loss.h"

namespace gps {

struct TorchOutputs {
  torch::Tensor logits;
  torch::Tensor features;  // undefined where no term asks for them
};

// The share of the terms that the rows [from, to) of the batch have, whose outputs these are;
// undefined where they have none.
torch::Tensor loss_of(const TorchOutputs& outputs, std::span<const LossTerm> terms,
                      std::size_t from, std::size_t to);

}  // namespace gps
