// Images of any size made into images of one size.
#pragma once

#include <cstdint>
#include <span>

#include "gps/data/dataset.h"
#include "gps/data/images/pixels.h"

namespace gps {

// Writes the image with the sides of `shape`, channel by channel. It is stretched: its proportions
// are not kept. Along a side that shrinks, a pixel is the mean of what it covers, pixels that it
// covers in part counting for that part; along one that grows, it lies between two by its centre
// (bilinear, clamped at the edges). Exact: one value is rounded once, to the nearest, halves up; so
// it is the same on every machine. An image of one channel is
// repeated in all that `shape` has. REQUIRES: out.size() == shape.bytes(), image.channels is 1 or
// shape.channels, and sides of at most 65535.
void resize(const Pixels& image, const ImageShape& shape, std::span<std::uint8_t> out);

}  // namespace gps
