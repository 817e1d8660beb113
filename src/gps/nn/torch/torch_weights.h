// θ of a TorchScript module: one flat tensor. The trained parameters are views of it.
#pragma once

#include <torch/script.h>

#include <string>
#include <vector>

namespace gps {

// Calls use(owner, name in the owner, full name, parameter) in the order of PyTorch's parameters().
template <typename Use>
void for_each_parameter(const torch::jit::Module& module, const Use& use) {
  for (const auto& owner : module.named_modules()) {
    torch::jit::Module holder = owner.value;
    const std::string prefix = owner.name.empty() ? "" : owner.name + ".";
    for (const auto& parameter : holder.named_parameters(/*recurse=*/false))
      use(holder, parameter.name, prefix + parameter.name, parameter.value);
  }
}

struct TorchWeights {
  torch::Tensor theta;     // in PyTorch's order
  torch::Tensor gradient;  // has θ's shape; initially zero
  std::vector<std::string> names;
  std::vector<torch::Tensor> parameters;      // views of theta, also held by the module
  std::vector<torch::Tensor> gradient_views;  // views of gradient
};

// Creates θ: all trained parameters become views of one tensor, in PyTorch's order. A parameter
// with two names stays one parameter. `is_trained` has an entry for each call of
// for_each_parameter().
TorchWeights gather_weights(const torch::jit::Module& module, const std::vector<bool>& is_trained,
                            const torch::Device& device);

// Returns a deep copy that shares the types. LibTorch's own copy treats tensors with the same
// storage as one tensor, and all tensors of gather_weights() have the same storage.
torch::jit::Module copied_module(const torch::jit::Module& module);

}  // namespace gps
