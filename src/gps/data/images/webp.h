// Decoding WebP files (libwebp).
#pragma once

#include <cstdint>
#include <span>

#include "gps/data/images/pixels.h"

namespace gps {

bool is_webp(std::span<const std::uint8_t> file);

// Both throw DataError with the reason alone; the caller knows the file's name. Animations are
// refused. WebP has no grey: every file is in colour.
ImageHeader read_webp_header(std::span<const std::uint8_t> file);

// Decodes lossy and lossless files. Transparent pixels are blended with white; with most_channels
// 1, colour becomes grey (data/images/channels.h). Colour profiles and EXIF are ignored. REQUIRES:
// most_channels is 1 or 3.
Pixels read_webp(std::span<const std::uint8_t> file, int most_channels);

}  // namespace gps
