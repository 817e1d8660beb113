// The image transforms that pseudo-tasks are made of (section 5.2 of the paper).
#pragma once

#include "gps/core/rng.h"
#include "gps/data/dataset.h"

namespace gps {

// A uniformly random rearrangement of the positions of an image, the same for all channels (A15).
PixelMap random_pixel_map(const ImageShape& shape, Rng rng);

// Rotation about the centre, bilinear, black where nothing comes from inside the image. Positive
// angles turn counter-clockwise; the border is cut as in torchvision's rotate without expansion.
Dataset rotated(const Dataset& images, double degrees);

// Gaussian blurring with a 5 x 5 filter, the border reflected. REQUIRES: sigma > 0.
Dataset blurred(const Dataset& images, double sigma);

}  // namespace gps
