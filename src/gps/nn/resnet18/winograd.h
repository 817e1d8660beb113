// Convolutions with 3 x 3 kernels and stride 1 by Winograd's method F(2 x 2, 3 x 3) (Lavin and
// Gray, "Fast algorithms for convolutional neural networks", 2016). For each square of 2 x 2
// outputs Y (a tile), from the 4 x 4 inputs d around it and a kernel g:
//   Y = Aᵀ [(G g Gᵀ) ⊙ (Bᵀ d B)] A
// Summed over input channels, ⊙ is 16 matrix products, one for each place of the 4 x 4, of tiles by
// inputs with inputs by outputs. They take 16 multiplications for 4 outputs where the sum over taps
// (shifted_products.h) takes 36. The gradient of the weights is
//   Gᵀ [(Bᵀ d B) ⊙ (A e Aᵀ)] G,   with the errors e of the 2 x 2 outputs.
//
// Sums and transforms are in float. In float, rounding errors are a few times those of the sum over
// taps. T = Bf16 are pixels in bf16; on a CPU with avx512_bf16 the transformed factors of the
// products are rounded to bf16 too.
#pragma once

#include <cstddef>

#include "gps/nn/aligned_floats.h"
#include "gps/nn/resnet18/image_grid.h"
#include "gps/nn/resnet18/shifted_products.h"

namespace gps {

struct WinogradShape {
  ImageGrid grid;
  std::size_t images = 0;
  WeightShape weights;     // of the convolution in its forward direction
  std::size_t inputs = 0;  // channels that are not padding
  std::size_t outputs = 0;
};

// Returns whether these functions are faster than shifted products on this CPU: in float, and in
// Bf16 where there are no matrix tiles.
template <typename T>
bool winograd_is_faster();

// out = the convolution of `in`, at all pixels.
// REQUIRES: `in` is zero between pixels and in channels that are padding.
template <typename T>
void winograd_products(const WinogradShape& shape, const T* in, const float* weights, T* out,
                       AlignedFloats& scratch, Products how = Products::best);

// errors_in = the errors of the convolution's input, at all pixels, from those of its output.
// REQUIRES: `errors` are zero between pixels and in channels that are padding.
template <typename T>
void winograd_back_products(const WinogradShape& shape, const T* errors, const float* weights,
                            T* errors_in, AlignedFloats& scratch, Products how = Products::best);

// weights += scale · gradient. REQUIRES: as above.
template <typename T>
void add_winograd_gradient(const WinogradShape& shape, const T* in, const T* errors, float scale,
                           float* weights, AlignedFloats& scratch, Products how = Products::best);

}  // namespace gps
