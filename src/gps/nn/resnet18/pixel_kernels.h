// The operations on pixels between convolutions: batch normalisation, ReLU and sums of branches,
// fused into as few passes as possible, and average pooling. There is one implementation for every
// instruction set. Pixel values are T (float or Bf16); statistics and other values per channel are
// float.
#pragma once

#include <cstddef>

#include "gps/nn/resnet18/bfloat16.h"
#include "gps/nn/resnet18/image_grid.h"
#include "gps/nn/resnet18/shifted_products.h"

namespace gps {

// Which pixels a kernel works on: those of so many images, each a row of channels.
struct PixelRows {
  ImageGrid grid;
  std::size_t images = 0;
  std::size_t channels = 0;  // whole panels
  std::size_t count() const { return images * grid.height * grid.width; }
};

namespace kernels {

// A branch: values that are scaled and shifted by channel.
template <typename T>
struct Branch {
  const T* values = nullptr;
  const float* scale = nullptr;
  const float* shift = nullptr;
};

template <typename T>
struct PixelFunctions {
  // Computes the mean and the (biased) variance of each channel.
  void (*statistics)(const PixelRows& pixels, const T* values, float* mean, float* variance);

  // out = max(0, a), or max(0, a + b) if b has values.
  void (*rectified_sum)(const PixelRows& pixels, const Branch<T>& a, const Branch<T>& b, T* out);

  // Backward pass of a rectified sum: errors ← errors + more where outputs > 0, else 0. If `more`
  // is null, nothing is added; if `outputs` is null, the errors do not change. Then computes, by
  // channel, Σ errors and Σ errors · (values - mean).
  void (*gradient_sums)(const PixelRows& pixels, const T* more, const T* outputs, T* errors,
                        const T* values, const float* mean, float* sum, float* centred_sum);

  // out = a · errors + b · values + c, with a, b and c by channel.
  void (*combine)(const PixelRows& pixels, const T* errors, const T* values, const float* a,
                  const float* b, const float* c, T* out);

  // Averages over the pixels of each image: out[image][channel].
  void (*average)(const PixelRows& pixels, const T* values, float* out);

  // values ← factor · errors[image][channel].
  void (*spread)(const PixelRows& pixels, const float* errors, float factor, T* values);
};

// Returns the functions for this CPU.
template <typename T>
const PixelFunctions<T>& pixel_functions();
template <>
const PixelFunctions<float>& pixel_functions();
template <>
const PixelFunctions<Bf16>& pixel_functions();

}  // namespace kernels
}  // namespace gps
