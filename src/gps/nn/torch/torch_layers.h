// Layers as TorchScript modules with PyTorch's names and PyTorch's first weights, built in C++.
// Every parameter is drawn from a stream of its own, so that LibTorch's generator has no part in
// it.
#pragma once

#include <torch/script.h>

#include "gps/core/rng.h"
#include "gps/data/normalisation.h"

namespace gps {

class TorchLayers {
 public:
  explicit TorchLayers(const Rng& rng) : rng_(rng) {}

  // A module with nothing in it but the children that it will be given.
  torch::jit::Module module(const std::string& name);
  // Children are "0", "1", …, each fed by the one before it; none: the identity.
  torch::jit::Module sequence(const std::vector<torch::jit::Module>& children);

  // U(±1/sqrt(inputs of a unit)), as torch.nn.Conv2d and torch.nn.Linear do; no bias for
  // convolutions, whose batch normalisation has one.
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

// The statement that normalises x: "x = (x - …) / …", or nothing.
std::string normalise_text(const Normalisation& normalisation);

}  // namespace gps
