// Networks by name.
#pragma once

#include <filesystem>
#include <memory>

#include "gps/core/rng.h"
#include "gps/data/dataset.h"
#include "gps/data/normalisation.h"
#include "gps/nn/network.h"
#include "gps/nn/network_options.h"

namespace gps {

// A network for images of this shape and so many classes. Everything drawn comes from `rng`. Images
// are normalised inside all networks but the user's own and the mlp, which see values in [0, 1].
// Throws UsageError or DataError, in one line, for what cannot be made: no such device, a file that
// is no TorchScript, a LibTorch that is not there.
std::unique_ptr<Network> make_network(const NetworkOptions& options, const ImageShape& shape,
                                      int classes, const Normalisation& normalisation,
                                      const Rng& rng);

// Replaces what the network starts from by the tensors of a file, matched by name and shape. Throws
// DataError naming every mismatch.
void load_weights(Network& network, const std::filesystem::path& file);

// Writes the network as TorchScript that PyTorch loads: [N, C, H, W] floats in [0, 1] to logits,
// normalisation included. The file appears whole or not at all.
void save_torchscript(const Network& network, const std::filesystem::path& file);

}  // namespace gps
