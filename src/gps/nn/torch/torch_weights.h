// θ of a TorchScript module: one flat tensor of which the parameters that are trained are views.
#pragma once

#include <torch/script.h>

#include <string>
#include <vector>

namespace gps {

// Calls use(owner, name in it, full name, parameter) in the order of PyTorch's parameters().
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
  torch::Tensor gradient;  // of θ's shape; zero at first
  std::vector<std::string> names;
  std::vector<torch::Tensor> parameters;      // views of theta, as the module has them
  std::vector<torch::Tensor> gradient_views;  // likewise of gradient
};

// Makes θ: all parameters that are trained become views of one tensor, in PyTorch's order. What is
// one parameter under two names stays one. `is_trained` has an entry for each call of
// for_each_parameter().
TorchWeights gather_weights(const torch::jit::Module& module, const std::vector<bool>& is_trained,
                            const torch::Device& device);

// A deep copy that shares the types. LibTorch's own takes tensors of one storage for one tensor,
// and those of gather_weights() all have one storage.
torch::jit::Module copied_module(const torch::jit::Module& module);

}  // namespace gps
