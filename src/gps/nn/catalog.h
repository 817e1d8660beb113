// Creates networks by name.
#pragma once

#include <filesystem>
#include <memory>

#include "gps/core/rng.h"
#include "gps/data/dataset.h"
#include "gps/data/normalisation.h"
#include "gps/nn/network.h"
#include "gps/nn/network_options.h"

namespace gps {

// Returns a network for images of this shape and this number of classes. All random numbers come
// from `rng`. Networks normalise their images, except the user's own models, which see values in
// [0, 1]; an empty normalisation leaves such values to all of them. An mlp for rows of features
// (data/features.h) normalises these. Throws UsageError or DataError, in one line, if the network
// cannot be created: the device does not exist, the file is not TorchScript, or LibTorch is
// missing.
std::unique_ptr<Network> make_network(const NetworkOptions& options, const ImageShape& shape,
                                      int classes, const Normalisation& normalisation,
                                      const Rng& rng);

// Replaces the initial weights of the network by the tensors of a file, matched by name and shape.
// Throws DataError that names every mismatch.
void load_weights(Network& network, const std::filesystem::path& file);

// Writes the network as TorchScript that PyTorch can load: [N, C, H, W] floats in [0, 1] to logits,
// including the normalisation, and the backbone of the options if there is one. The file appears
// whole or not at all. REQUIRES: the network was made from these options.
void save_torchscript(const Network& network, const NetworkOptions& options,
                      const std::filesystem::path& file);

// Returns the tensors of the network, and those of its backbone, if it has one, with "backbone."
// before their names.
NamedTensors all_tensors(const Network& network, const NetworkOptions& options);

}  // namespace gps
