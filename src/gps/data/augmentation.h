// Random views of training images: a crop out of the image with a black border around it, and a
// flip from left to right. Drawn anew each time that an image is seen, whether it comes from the
// task or from the memory (A35); stored and evaluated images stay as they are.
#pragma once

#include <cstdint>
#include <memory>

#include "gps/core/rng.h"
#include "gps/data/dataset.h"

namespace gps {

struct Augmentation {
  int padding = 0;     // width of the border; the crop has the size of the image
  bool flips = false;  // half of the time

  bool is_none() const { return padding == 0 && !flips; }
  friend bool operator==(const Augmentation&, const Augmentation&) = default;
};

// One view: where the crop begins, from -padding to padding, and whether it is flipped then.
struct View {
  int down = 0;
  int right = 0;
  bool is_flipped = false;
};

View draw_view(const Augmentation& augmentation, Rng& rng);

// A rearrangement that the images of a task have had; null: none.
using Arrangement = std::shared_ptr<const PixelMap>;

// Writes the view of the image to `out`. Where the image was rearranged, the view is one of the
// image before that, rearranged likewise: augment first, permute then (A18). `in` and `out` do not
// overlap.
void write_view(const std::uint8_t* in, const ImageShape& shape, const View& view,
                const PixelMap* arrangement, std::uint8_t* out);

}  // namespace gps
