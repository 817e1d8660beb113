// ResNet18 for small images, on one core of a CPU without any framework: convolutions as products
// of shifted matrices (shifted_products.h), everything between them in a few fused passes
// (pixel_kernels.h), over buffers that are kept from step to step.
//
// fp32 agrees with PyTorch's up to rounding. bf16 keeps pixels and the weights of convolutions as
// bf16 and everything else (sums, statistics, gradients of parameters, θ itself, the linear layer)
// as float; it is about five times as fast on a CPU with matrix tiles (AMX), and gains nothing
// without.
//
// accumulate(), step() and gradients() train: batch normalisation uses the statistics of the batch
// and updates the running ones (momentum 0.1, eps 1e-5). Everything else evaluates, with the
// running statistics: logits(), features(), and the gradients of single examples and of inputs.
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

// How many parameters there are: 11,173,962 for the defaults.
std::size_t fused_resnet18_parameters(const FusedResNet18Options& options);

// `parameters` in PyTorch's order: conv1.weight, bn1.weight, bn1.bias, then for each block
// conv1.weight, bn1.weight, bn1.bias, conv2.weight, bn2.weight, bn2.bias and, where there is one,
// shortcut.0.weight, shortcut.1.weight, shortcut.1.bias, and at last linear.weight, linear.bias.
// state() is the parameters, then running_mean and running_var of each batch normalisation, in that
// order. Throws UsageError if there are not fused_resnet18_parameters() of them, or a normalisation
// does not fit the channels.
std::unique_ptr<Network> make_fused_resnet18(const FusedResNet18Options& options,
                                             std::span<const float> parameters);

// The same from PyTorch's first weights, U(±1/sqrt(inputs of a unit)) and batch normalisation at 1
// and 0, each parameter from a stream of its own: those of `--backend libtorch`, to the bit.
std::unique_ptr<Network> make_fused_resnet18(const FusedResNet18Options& options, const Rng& rng);

// What such a network was made from; null: it is another one.
const FusedResNet18Options* fused_resnet18_options(const Network& network);

}  // namespace gps
