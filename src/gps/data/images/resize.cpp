#include "gps/data/images/resize.h"

#include <algorithm>
#include <cassert>
#include <vector>

namespace gps {
namespace {

// The weights with which the old positions along one side make up each new position. The weights of
// a new position are whole numbers that sum to `total`.
struct Axis {
  struct Tap {
    std::size_t from;
    std::uint64_t weight;
  };
  std::vector<Tap> taps;
  std::vector<std::size_t> first;  // first tap of each position, then the end of the last
  std::uint64_t total = 1;

  Axis(int old_size, int new_size) {
    const auto in = static_cast<std::uint64_t>(old_size);
    const auto out = static_cast<std::uint64_t>(new_size);
    total = in == out ? 1 : in > out ? in : 2 * out;
    for (std::uint64_t k = 0; k < out; ++k) {
      first.push_back(taps.size());
      if (in == out) {
        taps.push_back({k, 1});
      } else if (in > out) {
        // Old position i covers [i * out, (i + 1) * out), new position k covers [k * in, (k + 1) *
        // in).
        for (std::uint64_t i = k * in / out; i * out < (k + 1) * in; ++i)
          taps.push_back({i, std::min((i + 1) * out, (k + 1) * in) - std::max(i * out, k * in)});
      } else {
        // Distance of the new centre from the first old centre, in old positions times `total`.
        const std::uint64_t centre = (2 * k + 1) * in;
        const std::uint64_t at = centre < out ? 0 : std::min(centre - out, (in - 1) * total);
        taps.push_back({at / total, total - at % total});
        if (at % total > 0) taps.push_back({at / total + 1, at % total});
      }
    }
    first.push_back(taps.size());
  }

  std::span<const Tap> of(std::size_t position) const {
    return std::span(taps).subspan(first[position], first[position + 1] - first[position]);
  }
};

void separate(const Pixels& image, std::uint8_t* out) {
  const auto channels = static_cast<std::size_t>(image.channels);
  const std::size_t pixels = image.values.size() / channels;
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t p = 0; p < pixels; ++p) out[c * pixels + p] = image.values[p * channels + c];
  }
}

void stretch(const Pixels& image, const ImageShape& shape, std::uint8_t* out) {
  const Axis across(image.width, shape.width);
  const Axis down(image.height, shape.height);
  const auto channels = static_cast<std::size_t>(image.channels);
  const auto width = static_cast<std::size_t>(shape.width);
  const std::size_t stride = static_cast<std::size_t>(image.width) * channels;
  const std::uint64_t total = across.total * down.total;
  std::vector<std::uint64_t> sums(width * channels);
  for (std::size_t y = 0; y < static_cast<std::size_t>(shape.height); ++y) {
    std::fill(sums.begin(), sums.end(), std::uint64_t{0});
    for (const Axis::Tap& row : down.of(y)) {
      const std::uint8_t* values = image.values.data() + row.from * stride;
      for (std::size_t x = 0; x < width; ++x) {
        for (std::size_t c = 0; c < channels; ++c) {
          std::uint64_t sum = 0;
          for (const Axis::Tap& tap : across.of(x))
            sum += tap.weight * values[tap.from * channels + c];
          sums[x * channels + c] += row.weight * sum;
        }
      }
    }
    for (std::size_t x = 0; x < width; ++x) {
      for (std::size_t c = 0; c < channels; ++c) {
        const std::uint64_t rounded = (2 * sums[x * channels + c] + total) / (2 * total);
        out[c * shape.pixels() + y * width + x] = static_cast<std::uint8_t>(rounded);
      }
    }
  }
}

}  // namespace

void resize(const Pixels& image, const ImageShape& shape, std::span<std::uint8_t> out) {
  assert(out.size() == shape.bytes());
  assert(image.channels == 1 || image.channels == shape.channels);
  if (image.width == shape.width && image.height == shape.height) {
    separate(image, out.data());
  } else {
    stretch(image, shape, out.data());
  }
  const std::size_t made = static_cast<std::size_t>(image.channels) * shape.pixels();
  for (std::size_t done = made; done < out.size(); done += made)
    std::copy_n(out.data(), made, out.data() + done);
}

}  // namespace gps
