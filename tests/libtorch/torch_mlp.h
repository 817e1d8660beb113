// The network of FusedMlp in plain LibTorch: autograd for every gradient, flat vectors for those of
// single examples. What the fused kernels and the outer products are compared with.
#pragma once

#include <memory>
#include <vector>

#include "gps/nn/network.h"

namespace gps::testing {

// `parameters` in PyTorch's order: for each layer weights [out][in], then biases.
std::unique_ptr<Network> make_torch_mlp(const std::vector<std::size_t>& sizes,
                                        std::vector<float> parameters);

}  // namespace gps::testing
