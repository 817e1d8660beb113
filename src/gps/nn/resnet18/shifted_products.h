// Convolutions as matrix products. The images are stored one after another as rows of channels, one
// row per position, with zeros between them (image_grid.h), so that "the pixel above" is the same
// shift for every pixel of the batch. A 3 x 3 convolution is then a sum of nine products of the
// same matrix, shifted, with nine matrices of weights:
//   out[p][o] = Σ_t Σ_i rows_t[p][i] · weights_t[i][o],   rows_t = in + shift_t.
// The gradient with respect to the inputs is such a sum with the weights transposed, and the
// gradient with respect to the weights is Σ_p in[p + shift_t][i] · errors[p][o]. Nothing depends on
// the batch size.
//
// T is float, or Bf16 with sums in float. Bf16 uses the CPU's matrix tiles (AMX) or products of
// pairs (avx512_bf16) if it has them; otherwise Bf16 is no faster than float.
#pragma once

#include <cstddef>
#include <span>

#include "gps/nn/aligned_floats.h"
#include "gps/nn/resnet18/bfloat16.h"
#include "gps/nn/resnet18/image_grid.h"

namespace gps {

// Channels are grouped in panels. Weights are stored as [taps][outputs / kPanel][inputs][kPanel].
inline constexpr std::size_t kPanel = 32;
constexpr std::size_t whole_panels(std::size_t n) { return (n + kPanel - 1) / kPanel * kPanel; }

struct WeightShape {
  std::size_t taps = 0;
  std::size_t inputs = 0;  // inputs and outputs are whole panels
  std::size_t outputs = 0;
  std::size_t tap_size() const { return inputs * outputs; }
  std::size_t size() const { return taps * tap_size(); }
};

// Tests compare the two; all other code uses `best`.
enum class Products { best, portable };

// Weights in the form that the products need: copied, or transposed (inputs and outputs exchanged).
template <typename T>
class PackedWeights {
 public:
  explicit PackedWeights(WeightShape shape, Products how = Products::best);
  void pack(const float* weights);
  void pack_transposed(const float* weights);
  const void* tap(std::size_t t) const;

 private:
  enum class Form { floats, pairs, tiles };
  static Form form(Products how);

  WeightShape shape_;
  Form form_;
  AlignedFloats data_;
};

// What is multiplied: rows of channels at the pixels of a grid, which is that of the outputs.
struct ShiftedShape {
  ImageGrid grid;
  std::size_t images = 0;
  std::size_t inputs = 0;  // inputs and outputs are whole panels
  std::size_t outputs = 0;
  std::size_t used_inputs = 0;  // those that are not padding
  std::size_t used_outputs = 0;
  // Returns the shape for transposed weights.
  ShiftedShape turned() const { return {grid, images, outputs, inputs, used_outputs, used_inputs}; }
};

template <typename T>
struct Tap {
  const T* rows;
  const void* weights;  // from PackedWeights::tap()
};

// out = the sum above at all pixels. May also write between pixels. REQUIRES: channels that are
// padding are zero in the rows.
template <typename T>
void shifted_products(const ShiftedShape& shape, std::span<const Tap<T>> taps, T* out,
                      AlignedFloats& scratch, Products how = Products::best);

template <typename T>
struct GradientTap {
  const T* in;           // at position 0; taps with the same input must be adjacent
  std::ptrdiff_t shift;  // in positions
  float* weights;        // [outputs / kPanel][inputs][kPanel]
};

// weights_t += scale · Σ_p in_t[p + shift_t] errors[p]ᵀ over all pixels p. REQUIRES: errors are
// zero between pixels, and channels that are padding are zero.
template <typename T>
void add_shifted_outer_products(const ShiftedShape& shape, std::span<const GradientTap<T>> taps,
                                const T* errors, float scale, AlignedFloats& scratch,
                                Products how = Products::best);

}  // namespace gps
