// ResNet18 in plain LibTorch, from flat parameters: what FusedResNet18 should compute.
#pragma once

#include <memory>
#include <vector>

#include "gps/nn/resnet18/fused_resnet18.h"

namespace gps::testing {

// Everything but gradients of single examples. For bf16, values are rounded where FusedResNet18
// stores them as bf16, and everything is computed in fp32.
std::unique_ptr<Network> make_torch_resnet18(const FusedResNet18Options& options,
                                             const std::vector<float>& parameters);

}  // namespace gps::testing
