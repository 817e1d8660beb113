#include "gps/data/transforms.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>

namespace gps {
namespace {

// Calls plane(in, out) for each channel of each image.
template <typename Plane>
Dataset for_each_plane(const Dataset& images, const Plane& plane) {
  const std::size_t pixels = images.shape().pixels();
  return images.edited([&](std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
    for (std::size_t offset = 0; offset < in.size(); offset += pixels) {
      plane(in.subspan(offset, pixels), out.subspan(offset, pixels));
    }
  });
}

// Returns the nearest byte. REQUIRES: value >= 0.
std::uint8_t to_byte(double value) {
  return static_cast<std::uint8_t>(std::lrint(std::min(value, 255.0)));
}

// Returns the index of a pixel in a plane stored row by row.
std::size_t at(int y, int x, int width) {
  return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
         static_cast<std::size_t>(x);
}

// Mirrors an index at the first and last element, as often as needed: -1 -> 1, n -> n - 2.
int reflect(int index, int n) {
  if (n == 1) return 0;
  const int period = 2 * (n - 1);
  index = std::abs(index) % period;
  return index < n ? index : period - index;
}

}  // namespace

PixelMap random_pixel_map(const ImageShape& shape, Rng rng) {
  return rng.permutation(shape.pixels());
}

Dataset rotated(const Dataset& images, double degrees) {
  const int height = images.shape().height;
  const int width = images.shape().width;
  const std::size_t pixels = images.shape().pixels();
  const double radians = degrees * std::numbers::pi / 180.0;
  const double cosine = std::cos(radians);
  const double sine = std::sin(radians);
  const double centre_y = (height - 1) / 2.0;
  const double centre_x = (width - 1) / 2.0;

  // The origin of each pixel under the inverse rotation, with y pointing down. The neighbours are
  // indices into a plane with one extra black pixel at the end, which stands for all outside
  // pixels.
  struct Origin {
    std::array<std::size_t, 4> neighbours;  // upper left and right, lower left and right
    double right_share;
    double bottom_share;
  };
  std::vector<Origin> origins;
  origins.reserve(pixels);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double from_x = centre_x + cosine * (x - centre_x) - sine * (y - centre_y);
      const double from_y = centre_y + sine * (x - centre_x) + cosine * (y - centre_y);
      const int left = static_cast<int>(std::floor(from_x));
      const int top = static_cast<int>(std::floor(from_y));
      const auto place = [&](int row, int column) {
        const bool is_inside = row >= 0 && row < height && column >= 0 && column < width;
        return is_inside ? at(row, column, width) : pixels;
      };
      origins.push_back(
          {{place(top, left), place(top, left + 1), place(top + 1, left), place(top + 1, left + 1)},
           from_x - left,
           from_y - top});
    }
  }
  std::vector<double> plane(pixels + 1, 0.0);
  return for_each_plane(images, [&](std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
    std::copy(in.begin(), in.end(), plane.begin());
    for (std::size_t p = 0; p < pixels; ++p) {
      const auto& [from, right, bottom] = origins[p];
      const double upper = (1 - right) * plane[from[0]] + right * plane[from[1]];
      const double lower = (1 - right) * plane[from[2]] + right * plane[from[3]];
      out[p] = to_byte((1 - bottom) * upper + bottom * lower);
    }
  });
}

Dataset blurred(const Dataset& images, double sigma) {
  assert(sigma > 0);
  constexpr int kRadius = 2;
  constexpr std::size_t kTaps = 2 * kRadius + 1;
  std::array<double, kTaps> weights{};
  double total = 0;
  std::size_t tap = 0;
  for (int k = -kRadius; k <= kRadius; ++k) {
    const double weight = std::exp(-k * k / (2 * sigma * sigma));
    weights[tap++] = weight;
    total += weight;
  }
  for (double& weight : weights) weight /= total;

  // The filter is separable: along the rows, then along the columns. The source positions of each
  // pixel are the same for all images, so they are computed once.
  const int height = images.shape().height;
  const int width = images.shape().width;
  const std::size_t pixels = images.shape().pixels();
  std::vector<std::array<std::size_t, kTaps>> along_row(pixels);
  std::vector<std::array<std::size_t, kTaps>> along_column(pixels);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      int k = -kRadius;
      for (std::size_t t = 0; t < kTaps; ++t, ++k) {
        along_row[at(y, x, width)][t] = at(y, reflect(x + k, width), width);
        along_column[at(y, x, width)][t] = at(reflect(y + k, height), x, width);
      }
    }
  }
  std::vector<double> plane(pixels);
  std::vector<double> rows(pixels);
  const auto filtered = [&](const std::vector<double>& from,
                            const std::array<std::size_t, kTaps>& places) {
    double sum = 0;
    for (std::size_t t = 0; t < kTaps; ++t) sum += weights[t] * from[places[t]];
    return sum;
  };
  return for_each_plane(images, [&](std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
    std::copy(in.begin(), in.end(), plane.begin());
    for (std::size_t p = 0; p < pixels; ++p) rows[p] = filtered(plane, along_row[p]);
    for (std::size_t p = 0; p < pixels; ++p) out[p] = to_byte(filtered(rows, along_column[p]));
  });
}

}  // namespace gps
