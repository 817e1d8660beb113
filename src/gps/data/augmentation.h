// Random views of training images: a crop from the image with a black border around it, and a flip
// from left to right. A new view is drawn each time an image is seen, whether it comes from the
// task or from the memory (A35). Stored and evaluated images are not varied.
#pragma once

#include <cstdint>
#include <memory>

#include "gps/core/rng.h"
#include "gps/data/dataset.h"

namespace gps {

struct Augmentation {
  int padding = 0;     // width of the border; the crop has the size of the image
  bool flips = false;  // half of the images

  bool is_none() const { return padding == 0 && !flips; }
  friend bool operator==(const Augmentation&, const Augmentation&) = default;
};

// One view: the offset of the crop, from -padding to padding, and whether the crop is then flipped.
struct View {
  int down = 0;
  int right = 0;
  bool is_flipped = false;
};

View draw_view(const Augmentation& augmentation, Rng& rng);

// The rearrangement of a task's pixels; null if there is none.
using Arrangement = std::shared_ptr<const PixelMap>;

// Writes the view of the image to `out`. If the image was rearranged, takes the view of the
// original image and rearranges it in the same way: augment first, then permute (A18). REQUIRES:
// `in` and `out` do not overlap.
void write_view(const std::uint8_t* in, const ImageShape& shape, const View& view,
                const PixelMap* arrangement, std::uint8_t* out);

}  // namespace gps
