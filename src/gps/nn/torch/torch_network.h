// Any TorchScript module that maps images to logits, as a Network on the CPU or a GPU. θ is one
// flat tensor, and the module's parameters are views of it. Results are the same to the bit for any
// number of workers: LibTorch's graph optimisations, which depend on how often a module was called,
// are off, and an operator uses the number of threads in the settings, on whichever thread it is
// called.
#pragma once

#include <filesystem>
#include <memory>

#include "gps/data/dataset.h"
#include "gps/nn/network.h"
#include "gps/nn/network_options.h"

namespace torch::jit {
struct Module;
}

namespace gps {

struct TorchSettings {
  ImageShape shape;
  std::string device = "cpu";
  Precision precision = Precision::fp32;
  int operator_threads = 1;
};

// The network trains the parameters that require a gradient. Errors call the module `name`. Throws
// UsageError if the device does not exist, and DataError if the module does not map images of this
// shape to rows of logits or has no parameters to train.
std::unique_ptr<Network> make_torch_network(torch::jit::Module module,
                                            const TorchSettings& settings, const std::string& name);

// REQUIRES: the network comes from make_torch_network().
void save_torch_network(const Network& network, const std::filesystem::path& file);

// Returns the last line of LibTorch's message, without the backtrace.
std::string reason_of(const std::exception& error);

}  // namespace gps
