#include "gps/data/augmentation.h"

#include <cstring>

namespace gps {

View draw_view(const Augmentation& augmentation, Rng& rng) {
  View view;
  if (augmentation.padding > 0) {
    const std::uint64_t places = 2 * static_cast<std::uint64_t>(augmentation.padding) + 1;
    view.down = static_cast<int>(rng.index(places)) - augmentation.padding;
    view.right = static_cast<int>(rng.index(places)) - augmentation.padding;
  }
  if (augmentation.flips) view.is_flipped = rng.index(2) == 1;
  return view;
}

void write_view(const std::uint8_t* in, const ImageShape& shape, const View& view,
                const PixelMap* arrangement, std::uint8_t* out) {
  std::memset(out, 0, shape.bytes());
  const auto at = [&](int y, int x) {
    const auto width = static_cast<std::size_t>(shape.width);
    const std::size_t position = static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x);
    return arrangement == nullptr ? position : static_cast<std::size_t>((*arrangement)[position]);
  };
  for (int y = 0; y < shape.height; ++y) {
    const int from_y = y + view.down;
    if (from_y < 0 || from_y >= shape.height) continue;
    for (int x = 0; x < shape.width; ++x) {
      const int from_x = (view.is_flipped ? shape.width - 1 - x : x) + view.right;
      if (from_x < 0 || from_x >= shape.width) continue;
      const std::size_t from = at(from_y, from_x);
      const std::size_t to = at(y, x);
      for (std::size_t channel = 0; channel < shape.bytes(); channel += shape.pixels())
        out[channel + to] = in[channel + from];
    }
  }
}

}  // namespace gps
