// Layers as TorchScript modules with PyTorch's names and PyTorch's initial weights, built in C++.
// Every parameter is drawn from its own random stream; LibTorch's generator is not used.
#pragma once

#include <torch/script.h>

#include "gps/core/rng.h"
#include "gps/data/normalisation.h"

namespace gps {

class TorchLayers {
 public:
  explicit TorchLayers(const Rng& rng) : rng_(rng) {}

  // Returns a module without children; the caller adds them.
  torch::jit::Module module(const std::string& name);
  // The children are called "0", "1", …, and each takes the output of the one before. Without
  // children it is the identity.
  torch::jit::Module sequence(const std::vector<torch::jit::Module>& children);

  // Weights are U(±1/sqrt(inputs of a unit)), as in torch.nn.Conv2d and torch.nn.Linear.
  // Convolutions have no bias, because their batch normalisation has one.
  torch::jit::Module convolution(int in, int out, int kernel, int stride);
  torch::jit::Module batch_norm(int channels);  // ε 1e-5, momentum 0.1
  torch::jit::Module linear(int in, int out);

 private:
  torch::Tensor uniform(std::vector<std::int64_t> shape, std::int64_t inputs);

  Rng rng_;
  int drawn_ = 0;
  std::shared_ptr<torch::jit::CompilationUnit> unit_ =
      std::make_shared<torch::jit::CompilationUnit>();
};

// Returns the statement that normalises x: "x = (x - …) / …", or nothing.
std::string normalise_text(const Normalisation& normalisation);

}  // namespace gps
