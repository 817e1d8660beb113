// WebP files made in memory.
#pragma once

#include <webp/encode.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace gps::testing {

// `pixels` are red, green, blue and alpha of each pixel, row by row. Without loss they are decoded
// as they are. A file has transparency if some alpha is not 255.
inline std::string webp_file(int width, int height, const std::vector<std::uint8_t>& pixels,
                             bool is_lossless = true) {
  if (pixels.size() != static_cast<std::size_t>(width * height) * 4)
    throw std::runtime_error("pixels of another size");
  std::uint8_t* bytes = nullptr;
  const std::size_t size =
      is_lossless ? WebPEncodeLosslessRGBA(pixels.data(), width, height, width * 4, &bytes)
                  : WebPEncodeRGBA(pixels.data(), width, height, width * 4, 90, &bytes);
  const std::string file(reinterpret_cast<const char*>(bytes), size);
  WebPFree(bytes);
  return file;
}

// Every pixel of the same colour.
inline std::string plain_webp(const std::vector<std::uint8_t>& rgba, int width, int height,
                              bool is_lossless = true) {
  std::vector<std::uint8_t> pixels;
  for (int p = 0; p < width * height; ++p) pixels.insert(pixels.end(), rgba.begin(), rgba.end());
  return webp_file(width, height, pixels, is_lossless);
}

}  // namespace gps::testing
