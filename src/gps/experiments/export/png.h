// Pictures as PNG files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gps {

struct Picture {
  int height = 0;
  int width = 0;
  int channels = 3;                  // 1: grey, 3: red, green, blue
  std::vector<std::uint8_t> pixels;  // row by row; the channels of a pixel are adjacent
};

// Returns the bytes of a PNG file. REQUIRES: height × width × channels pixel values, at least one.
std::string png_of(const Picture& picture);

}  // namespace gps
