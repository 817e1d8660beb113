// Any TorchScript module that maps images to logits, as a Network, on the CPU or a GPU. θ is one
// flat tensor of which the module's parameters are views. Results are the same bits for any number
// of workers: LibTorch's graph optimisations, which depend on how often a module was called, are
// off, and an operator uses as many threads as the settings say, on whichever thread it is called.
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

// The network learns those parameters that require a gradient. `name` is what errors call the
// module. Throws UsageError for a device that is not there, and DataError for a module that does
// not map images of this shape to rows of logits or has no parameters.
std::unique_ptr<Network> make_torch_network(torch::jit::Module module,
                                            const TorchSettings& settings, const std::string& name);

// REQUIRES: the network is one of the above.
void save_torch_network(const Network& network, const std::filesystem::path& file);

// The last line of what LibTorch has to say, without its traceback.
std::string reason_of(const std::exception& error);

}  // namespace gps
