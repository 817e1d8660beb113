// A backbone: a frozen network of the user's that turns images into features, from which the mlp
// learns. It is a TorchScript module that maps [N, C, H, W] floats to [N, features]. If it has a
// method features(x), that is called, otherwise forward(x). So a network that gpscl exported is a
// backbone as it is.
//
// The features of an image are computed alone, on one thread. They depend on nothing but the image,
// the file and the instruction set of the CPU: not on other images and not on the number of
// workers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "gps/data/dataset.h"
#include "gps/data/loading.h"
#include "gps/data/normalisation.h"
#include "gps/nn/network.h"
#include "gps/nn/network_options.h"

namespace gps {

class Backbone {
 public:
  virtual ~Backbone() = default;

  virtual std::size_t features() const = 0;

  // Writes the features of one image. May be called by several threads at a time. Throws DataError
  // if the module fails or gives another number of features. REQUIRES: out.size() == features().
  virtual void compute(const std::uint8_t* image, std::span<float> out) const = 0;
};

// Returns how pixels in [0, 1] are normalised for the backbone: not at all for `backbone_input`
// unit.
Normalisation backbone_normalisation(const NetworkOptions& options);

// Throws DataError if the file of the backbone is missing, or has changed since the options were
// made (backbone_fingerprint). REQUIRES: options.backbone is not empty.
void check_backbone_file(const NetworkOptions& options);

// Returns the backbone of these options for images of this shape. Throws DataError, in one line, if
// the file is missing, has changed, is not TorchScript, or does not map an image to [1, features];
// and UsageError without LibTorch.
// REQUIRES: options.backbone is not empty.
std::unique_ptr<Backbone> open_backbone(const NetworkOptions& options, const ImageShape& shape);

// Returns the images as rows of features, one after the other (data/features.h). Works in parallel,
// and reports progress. Throws DataError that names the backbone if a feature is not finite or too
// large for float16.
std::vector<std::uint8_t> features_of(ImageRows images, const Backbone& backbone,
                                      const NetworkOptions& options, const LoadHooks& hooks);

// Returns the same labels with features in place of pixels. REQUIRES: the ids are 0, 1, 2, …
Dataset features_of(const Dataset& images, const Backbone& backbone, const NetworkOptions& options,
                    const LoadHooks& hooks);

// The same for a data set that is used again and again: the features are kept in the user's cache,
// in one file for each data set and backbone. `name` names the images in messages.
Dataset cached_features_of(const Dataset& images, const std::string& name,
                           const NetworkOptions& options, const LoadHooks& hooks);

}  // namespace gps
