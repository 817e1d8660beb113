#include "gps/data/features.h"

#include <cassert>
#include <cmath>
#include <vector>

#include "gps/core/half_float.h"

namespace gps {

ImageShape feature_shape(std::size_t features) {
  return {.channels = 2, .height = 1, .width = static_cast<int>(features)};
}

bool are_features(const ImageShape& shape) { return shape.channels == 2 && shape.height == 1; }

bool write_features(std::span<const float> features, std::span<std::uint8_t> row) {
  const std::size_t count = features.size();
  assert(row.size() == 2 * count);
  for (std::size_t k = 0; k < count; ++k) {
    if (!(std::abs(features[k]) <= kLargestHalf)) return false;
    // A zero has no sign, so that equal features are equal bytes.
    const std::uint16_t half = to_half(features[k] == 0 ? 0.0f : features[k]);
    row[k] = static_cast<std::uint8_t>(half >> 8);
    row[count + k] = static_cast<std::uint8_t>(half & 0xFFu);
  }
  return true;
}

void read_features(const std::uint8_t* row, float mean, float deviation, std::span<float> out) {
  const std::size_t count = out.size();
  const std::uint8_t* const high = row;
  const std::uint8_t* const low = row + count;
  float* const to = out.data();
  for (std::size_t k = 0; k < count; ++k) {
    const auto half = (static_cast<std::uint32_t>(high[k]) << 8) | low[k];
    to[k] = (from_finite_half(half) - mean) / deviation;
  }
}

Normalisation feature_normalisation(const Dataset& data) {
  assert(are_features(data.shape()) && data.size() > 0);
  constexpr double kSquaredNorm = 100;  // of a row; MNIST has 88, Fashion-MNIST 162
  const std::size_t size = data.shape().pixels();
  std::vector<std::uint8_t> scratch(data.shape().bytes());
  std::vector<float> values(size);
  double sum = 0;
  double squares = 0;
  for (std::size_t row = 0; row < data.size(); ++row) {
    read_features(data.image(row, scratch), 0, 1, values);
    for (const float value : values) {
      sum += value;
      squares += static_cast<double>(value) * value;
    }
  }
  const double count = static_cast<double>(data.size()) * static_cast<double>(size);
  const double mean = sum / count;
  const double variance = squares / count - mean * mean;
  // The features of all images may be the same number.
  const double deviation = variance > 0 ? std::sqrt(variance) : 1;
  const double scale = std::sqrt(static_cast<double>(size) / kSquaredNorm);
  return {{static_cast<float>(mean)}, {static_cast<float>(deviation * scale)}};
}

}  // namespace gps
