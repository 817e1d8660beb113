// The image transforms that make pseudo-tasks (section 5.2 of the paper).
#pragma once

#include "gps/core/rng.h"
#include "gps/data/dataset.h"

namespace gps {

// Returns a uniformly random rearrangement of the pixel positions, the same for all channels (A15).
PixelMap random_pixel_map(const ImageShape& shape, Rng rng);

// Rotates the images about their centre, with bilinear interpolation. Pixels from outside the image
// are black. Positive angles turn counter-clockwise; the size stays the same, as in torchvision's
// rotate without expansion.
Dataset rotated(const Dataset& images, double degrees);

// Blurs the images with a 5 x 5 Gaussian filter, with the border reflected. REQUIRES: sigma > 0.
Dataset blurred(const Dataset& images, double sigma);

}  // namespace gps
