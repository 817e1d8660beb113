// An image as decoded from a file, before it is converted to the wanted size and channels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gps {

// The facts at the beginning of a file. Transparency does not count as a channel.
struct ImageHeader {
  int width = 0;
  int height = 0;
  int channels = 1;  // 1: grey, 3: colour
  friend bool operator==(const ImageHeader&, const ImageHeader&) = default;
};

struct Pixels {
  int width = 0;
  int height = 0;
  int channels = 1;                  // 1 or 3
  std::vector<std::uint8_t> values;  // row by row, the channels of a pixel next to each other
};

// Larger images are refused before they are decoded: a file of a few bytes may announce any size.
constexpr std::uint64_t kMostPixels = std::uint64_t{1} << 26;  // 8192 x 8192

}  // namespace gps
