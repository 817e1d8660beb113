// The losses of loss.h in LibTorch.
#pragma once

#include <torch/torch.h>

#include <span>

#include "gps/nn/loss.h"

namespace gps::testing {

// Each row's share of the terms.
torch::Tensor row_losses(const torch::Tensor& all_logits, const torch::Tensor& features,
                         std::span<const LossTerm> terms);

}  // namespace gps::testing
