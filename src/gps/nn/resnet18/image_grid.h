// The positions of the pixels of a batch: image after image, row after row,
// each pixel with its channels. After each row of pixels there is one zero pixel, and after each
// image a whole row of zero pixels. So every neighbour of a pixel exists and lies at the same
// distance for all pixels.
#pragma once

#include <cstddef>

#include "gps/nn/aligned_floats.h"

namespace gps {

// The number of positions beyond the last one that may be read or written.
inline constexpr std::size_t kSlack = 64;

struct ImageGrid {
  std::size_t height = 0;
  std::size_t width = 0;

  std::size_t stride() const { return width + 1; }
  std::size_t area() const { return (height + 1) * stride(); }
  std::size_t position(std::size_t image, std::size_t y, std::size_t x) const {
    return image * area() + y * stride() + x;
  }
  // Returns the distance from a pixel to the one that is `down` below and `right` to the right of
  // it.
  std::ptrdiff_t shift(int down, int right) const {
    return down * static_cast<std::ptrdiff_t>(stride()) + right;
  }
  // Returns the grid after a convolution with stride 2.
  ImageGrid halved() const { return {(height + 1) / 2, (width + 1) / 2}; }
};

// Values at every position for up to `images` images, with a margin that kernels may touch;
// initially zero. Code that writes only pixels keeps the zeros between them.
template <typename T>
class PixelBuffer {
 public:
  PixelBuffer() = default;
  PixelBuffer(ImageGrid grid, std::size_t channels, std::size_t images)
      : front_((grid.stride() + 1) * channels),
        values_((2 * front_ + (images * grid.area() + kSlack) * channels) * sizeof(T) /
                sizeof(float)) {}
  T* data() { return reinterpret_cast<T*>(values_.data()) + front_; }
  const T* data() const { return reinterpret_cast<const T*>(values_.data()) + front_; }

 private:
  std::size_t front_ = 0;
  AlignedFloats values_;
};

}  // namespace gps
