// Everything that uses LibTorch, behind one interface, in its own shared module (libgps_torch.so).
// The module is loaded at first use, because LibTorch takes most of a second to start.
#pragma once

#include <filesystem>
#include <memory>

#include "gps/core/rng.h"
#include "gps/data/dataset.h"
#include "gps/data/normalisation.h"
#include "gps/nn/backbone.h"
#include "gps/nn/network.h"
#include "gps/nn/network_options.h"

namespace gps {

// What lies between the image and the inputs of an mlp in an exported module.
struct BackbonePart {
  std::filesystem::path file;
  Normalisation input;  // of pixels, for the backbone
  float mean = 0;       // features become (feature - mean) / deviation, in float16 before
  float deviation = 1;
};

class TorchBackend {
 public:
  virtual ~TorchBackend() = default;

  // Creates a convnet, a resnet18, or the model in the user's own file.
  virtual std::unique_ptr<Network> make_network(const NetworkOptions& options,
                                                const ImageShape& shape, int classes,
                                                const Normalisation& normalisation,
                                                const Rng& rng) const = 0;

  // Reads the tensors of a TorchScript file, or of a plain dict written by torch.save.
  virtual NamedTensors read_tensors(const std::filesystem::path& file) const = 0;

  // Writes a network of this backend, or the tensors of an mlp and its normalisation, as
  // TorchScript.
  virtual void save_network(const Network& network, const std::filesystem::path& file) const = 0;
  virtual void save_mlp(const NamedTensors& tensors, const Normalisation& normalisation,
                        const std::filesystem::path& file) const = 0;

  // Opens a backbone for images of this shape, whose pixels are normalised so for it; see
  // open_backbone().
  virtual std::unique_ptr<Backbone> open_backbone(const std::filesystem::path& file,
                                                  const ImageShape& shape,
                                                  const Normalisation& input) const = 0;

  // Writes an mlp together with the backbone that it learnt on: [N, C, H, W] floats in [0, 1] to
  // logits.
  virtual void save_with_backbone(const NamedTensors& tensors, const BackbonePart& backbone,
                                  const std::filesystem::path& file) const = 0;
};

// Throws UsageError if the program was built without LibTorch or the module cannot be loaded.
const TorchBackend& torch_backend();

}  // namespace gps
