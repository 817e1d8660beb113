// ResNet18 for small images, on one CPU core and without a framework: convolutions are
// computed by Winograd's method (winograd.h) or as products of shifted matrices
// (shifted_products.h), and everything between them is done in a few fused passes
// (pixel_kernels.h). Buffers are kept from step to step.
//
// fp32 agrees with PyTorch up to rounding. bf16 stores pixels and the weights of convolutions as
// bf16 and everything else (sums, statistics, gradients of parameters, θ itself, the linear layer)
// as float. It is several times as fast on a CPU with matrix tiles (AMX), 1.7 times as fast with
// products of pairs of bf16 (avx512_bf16), and hardly faster without either.
//
// accumulate(), step() and gradients() run in training mode: batch normalisation uses the
// statistics of the batch and updates the running ones (momentum 0.1, eps 1e-5). logits(),
// features(), and the gradients of single examples and of inputs use the running statistics.
#pragma once

#include <memory>
#include <span>

#include "gps/core/rng.h"
#include "gps/data/dataset.h"
#include "gps/data/normalisation.h"
#include "gps/nn/network.h"
#include "gps/nn/network_options.h"

namespace gps {

struct FusedResNet18Options {
  ImageShape shape = {3, 32, 32};
  std::size_t classes = 10;
  std::size_t width = 64;  // channels of the first stage
  Normalisation normalisation = {};
  Precision precision = Precision::fp32;
};

// Returns the number of parameters: 11,173,962 for the defaults.
std::size_t fused_resnet18_parameters(const FusedResNet18Options& options);

// Returns a network with these `parameters`. They are in PyTorch's order: conv1.weight, bn1.weight,
// bn1.bias, then for each block conv1.weight, bn1.weight, bn1.bias, conv2.weight, bn2.weight,
// bn2.bias and, if it has a shortcut, shortcut.0.weight, shortcut.1.weight, shortcut.1.bias, and
// finally linear.weight, linear.bias. state() holds the parameters, then running_mean and
// running_var of each batch normalisation, in that order. Throws UsageError if there are not
// fused_resnet18_parameters() parameters, or if the normalisation does not fit the channels.
std::unique_ptr<Network> make_fused_resnet18(const FusedResNet18Options& options,
                                             std::span<const float> parameters);

// Returns a network with PyTorch's initial weights: U(±1/sqrt(inputs of a unit)), and 1 and 0 for
// batch normalisation. Each parameter has its own random stream. The weights are the same as with
// `--backend libtorch`, to the bit.
std::unique_ptr<Network> make_fused_resnet18(const FusedResNet18Options& options, const Rng& rng);

// Returns the options of a network made here; null for any other network.
const FusedResNet18Options* fused_resnet18_options(const Network& network);

}  // namespace gps
