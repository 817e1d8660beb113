#include "gps/data/features.h"

#include <algorithm>
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

void read_features(const std::uint8_t* row, const Normalisation& scale, std::span<float> out) {
  const std::size_t count = out.size();
  assert(scale.mean.empty() || scale.mean.size() == count);
  const std::uint8_t* const high = row;
  const std::uint8_t* const low = row + count;
  float* const to = out.data();
  for (std::size_t k = 0; k < count; ++k) {
    const auto half = (static_cast<std::uint32_t>(high[k]) << 8) | low[k];
    to[k] = from_finite_half(half);
  }
  const float* const mean = scale.mean.data();
  const float* const deviation = scale.deviation.data();
  for (std::size_t k = 0; k < scale.mean.size(); ++k) to[k] = (to[k] - mean[k]) / deviation[k];
}

Normalisation feature_normalisation(const Dataset& data) {
  assert(are_features(data.shape()) && data.size() > 0);
  constexpr double kSquaredNorm = 100;  // of a row; MNIST has 88, Fashion-MNIST 162
  const std::size_t size = data.shape().pixels();
  std::vector<std::uint8_t> scratch(data.shape().bytes());
  std::vector<float> values(size);
  std::vector<double> sums(size);
  std::vector<double> squares(size);
  for (std::size_t row = 0; row < data.size(); ++row) {
    read_features(data.image(row, scratch), {}, values);
    for (std::size_t k = 0; k < size; ++k) {
      sums[k] += values[k];
      squares[k] += static_cast<double>(values[k]) * values[k];
    }
  }
  const auto count = static_cast<double>(data.size());
  std::vector<double> variances(size);
  double total = 0;
  for (std::size_t k = 0; k < size; ++k) {
    const double mean = sums[k] / count;
    variances[k] = std::max(0.0, squares[k] / count - mean * mean);
    total += variances[k];
  }
  // Every image may have the same features.
  const double least = total > 0 ? kLeastShareOfVariance * total / static_cast<double>(size) : 1;
  const double scale = std::sqrt(static_cast<double>(size) / kSquaredNorm);
  Normalisation result;
  for (std::size_t k = 0; k < size; ++k) {
    result.mean.push_back(static_cast<float>(sums[k] / count));
    result.deviation.push_back(
        static_cast<float>(std::sqrt(std::max(least, variances[k])) * scale));
  }
  return result;
}

}  // namespace gps
