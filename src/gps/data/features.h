// Features instead of pixels: what a frozen network of the user's (nn/backbone.h) makes of an
// image. A row of D features is stored as an "image" of two channels and 1 x D "pixels": the high
// bytes of all features as float16, then the low bytes. Real images have one channel or three.
//
// So memories, policies, codecs, checkpoints, states and hashes, which know only bytes, work as
// they do for pixels, and a rearrangement of pixels moves whole features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "gps/data/dataset.h"
#include "gps/data/normalisation.h"

namespace gps {

inline constexpr std::size_t kMostFeatures = 65536;

// Returns the shape of rows with this number of features.
ImageShape feature_shape(std::size_t features);

// Returns whether rows of this shape are features.
bool are_features(const ImageShape& shape);

// Writes the features as a row of feature_shape(). Returns false, with the row in any state, if one
// of them is not finite or larger than float16 can be.
// REQUIRES: `row` has two bytes for each feature.
bool write_features(std::span<const float> features, std::span<std::uint8_t> row);

// Writes (feature - mean) / deviation for each feature of the row. REQUIRES: the row comes from
// write_features() with as many features as `out` has room for.
void read_features(const std::uint8_t* row, float mean, float deviation, std::span<float> out);

// Makes features of all images of a data set: the same number of rows, in the same order, with the
// same labels. `name` names the images in messages.
using ConvertImages = std::function<Dataset(const Dataset& images, const std::string& name)>;

// Returns one mean and one deviation for all features. With them, rows are on average as long as
// images of digits are: the mean of the squared norm is 100. So learning rates do not depend on the
// number of features or on their scale.
// REQUIRES: rows of features, at least one.
Normalisation feature_normalisation(const Dataset& data);

}  // namespace gps
