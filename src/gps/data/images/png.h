// Decoding PNG files (libpng).
#pragma once

#include <cstdint>
#include <span>

#include "gps/data/images/pixels.h"

namespace gps {

bool is_png(std::span<const std::uint8_t> file);

// Both throw DataError with the reason alone; the caller knows the file's name.
ImageHeader read_png_header(std::span<const std::uint8_t> file);

// Decodes any kind of PNG to eight bits per channel: 16-bit values are scaled down, values of 1, 2
// and 4 bits and palettes are expanded, and transparent pixels are blended with white. Gamma and
// colour profiles are ignored. Grey stays grey; with most_channels 1, colour becomes grey
// (data/images/channels.h). REQUIRES: most_channels is 1 or 3.
Pixels read_png(std::span<const std::uint8_t> file, int most_channels);

}  // namespace gps
