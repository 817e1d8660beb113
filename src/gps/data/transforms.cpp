#include "gps/data/transforms.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>

namespace gps {
namespace {

// Calls edit(plane in, plane out) for each channel of an image.
template <typename Plane>
Dataset for_each_plane(const Dataset& images, const Plane& plane) {
  const std::size_t pixels = images.shape().pixels();
  return images.edited([&](std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
    for (std::size_t offset = 0; offset < in.size(); offset += pixels) {
      plane(in.subspan(offset, pixels), out.subspan(offset, pixels));
    }
  });
}

std::uint8_t to_byte(double value) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
}

// The place of a pixel in a plane stored row by row.
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
  const double radians = degrees * std::numbers::pi / 180.0;
  const double cosine = std::cos(radians);
  const double sine = std::sin(radians);
  const double centre_y = (height - 1) / 2.0;
  const double centre_x = (width - 1) / 2.0;
  return for_each_plane(images, [&](std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
    const auto pixel = [&](int y, int x) -> double {
      const bool inside = y >= 0 && y < height && x >= 0 && x < width;
      return inside ? in[at(y, x, width)] : 0.0;
    };
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        // Where this pixel comes from: the inverse rotation, with y pointing down.
        const double from_x = centre_x + cosine * (x - centre_x) - sine * (y - centre_y);
        const double from_y = centre_y + sine * (x - centre_x) + cosine * (y - centre_y);
        const int left = static_cast<int>(std::floor(from_x));
        const int top = static_cast<int>(std::floor(from_y));
        const double right_share = from_x - left;
        const double bottom_share = from_y - top;
        const double upper =
            (1 - right_share) * pixel(top, left) + right_share * pixel(top, left + 1);
        const double lower =
            (1 - right_share) * pixel(top + 1, left) + right_share * pixel(top + 1, left + 1);
        out[at(y, x, width)] = to_byte((1 - bottom_share) * upper + bottom_share * lower);
      }
    }
  });
}

Dataset blurred(const Dataset& images, double sigma) {
  assert(sigma > 0);
  constexpr int kRadius = 2;
  std::array<double, 2 * kRadius + 1> weights{};
  double total = 0;
  for (int k = -kRadius; k <= kRadius; ++k) {
    const double weight = std::exp(-k * k / (2 * sigma * sigma));
    weights[static_cast<std::size_t>(k + kRadius)] = weight;
    total += weight;
  }
  for (double& weight : weights) weight /= total;

  const int height = images.shape().height;
  const int width = images.shape().width;
  std::vector<double> rows(images.shape().pixels());
  return for_each_plane(images, [&](std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
    // The filter is separable: along the rows, then along the columns.
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        double sum = 0;
        for (int k = -kRadius; k <= kRadius; ++k) {
          sum += weights[static_cast<std::size_t>(k + kRadius)] *
                 in[at(y, reflect(x + k, width), width)];
        }
        rows[at(y, x, width)] = sum;
      }
    }
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        double sum = 0;
        for (int k = -kRadius; k <= kRadius; ++k) {
          sum += weights[static_cast<std::size_t>(k + kRadius)] *
                 rows[at(reflect(y + k, height), x, width)];
        }
        out[at(y, x, width)] = to_byte(sum);
      }
    }
  });
}

}  // namespace gps
