// The orientation that a camera writes into a JPEG file (EXIF): how the stored pixels must be
// turned or mirrored to be seen upright.
#pragma once

#include <cstdint>
#include <span>

#include "gps/data/images/pixels.h"

namespace gps {

// Returns the orientation of a JPEG file, from 1 to 8. Returns 1, which means as it is stored, if
// the file has no EXIF block, or one that cannot be read. Does not throw.
int exif_orientation(std::span<const std::uint8_t> file);

// Return the image as it is seen, or its header. REQUIRES: orientation is from 1 to 8.
Pixels turned_upright(Pixels image, int orientation);
ImageHeader turned_upright(ImageHeader header, int orientation);

}  // namespace gps
