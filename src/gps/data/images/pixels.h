// An image as it comes out of a file, before it has the size and the channels that are wanted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gps {

// What a file says of itself at its beginning. Transparency is no channel.
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
  std::vector<std::uint8_t> values;  // row by row, the channels of a pixel beside each other
};

// A larger image is refused before it is decoded: a file of a few bytes may announce any size.
constexpr std::uint64_t kMostPixels = std::uint64_t{1} << 26;  // 8192 x 8192

}  // namespace gps
