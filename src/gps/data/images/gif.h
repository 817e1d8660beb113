// Decoding the first frame of GIF files (giflib).
#pragma once

#include <cstdint>
#include <span>

#include "gps/data/images/pixels.h"

namespace gps {

bool is_gif(std::span<const std::uint8_t> file);

// Both throw DataError with the reason alone; the caller knows the file's name. An image is grey if
// all colours of the palette of its first frame are.
ImageHeader read_gif_header(std::span<const std::uint8_t> file);

// Decodes the first frame in its place on the screen of the file. What it does not cover, and
// transparent pixels, are white. A frame that does not fit into the screen is the whole image. With
// most_channels 1, colour becomes grey (data/images/channels.h). Frames after the first are not
// read, and may be damaged. REQUIRES: most_channels is 1 or 3.
Pixels read_gif(std::span<const std::uint8_t> file, int most_channels);

}  // namespace gps
