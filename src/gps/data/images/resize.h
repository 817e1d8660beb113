// Resizes images of any size to one size.
#pragma once

#include <cstdint>
#include <span>

#include "gps/data/dataset.h"
#include "gps/data/images/pixels.h"

namespace gps {

// Writes the image with the size of `shape`, channel by channel. The image is stretched: its
// proportions are not kept. Along a side that shrinks, a pixel is the mean of the pixels that it
// covers, and partly covered pixels count by their covered part. Along a side that grows, a pixel
// is interpolated at its centre between two pixels (bilinear, clamped at the edges). The arithmetic
// is exact: each value is rounded once, to the nearest, halves up, so the result is the same on
// every machine. An image of one channel is repeated in all channels of `shape`. REQUIRES:
// out.size() == shape.bytes(), image.channels is 1 or shape.channels, and sides of at most 65535.
void resize(const Pixels& image, const ImageShape& shape, std::span<std::uint8_t> out);

}  // namespace gps
