// From the errors of a layer to its weights, and to the errors of its inputs.
#include "gps/nn/mlp/fused_mlp_kernels.h"

#include <algorithm>

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gps/nn/mlp/mlp_backward.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
#include <hwy/highway.h>

#include "gps/nn/mlp/mlp_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gps::kernels::HWY_NAMESPACE {

// As in affine(), processes a word of 64 inputs at a time for all rows, so that their weights stay
// in the first-level cache.
template <std::size_t kWidth, typename Row>
HWY_INLINE void add_outer_product_row(Row row, std::uint64_t bits, std::size_t first_input,
                                      const float* HWY_RESTRICT errors, float scale,
                                      std::size_t stride, float* HWY_RESTRICT weights) {
  const auto error = Tile<kWidth>::load(errors);
  for_each_bit(bits, first_input, [&](std::size_t k) HWY_ATTR {
    const V value = hn::Set(kFloats, scale * row[k]);
    float* HWY_RESTRICT w = weights + k * stride;
    for (std::size_t v = 0; v < kWidth; ++v) {
      float* HWY_RESTRICT to = w + v * kLanes;
      hn::Store(hn::MulAdd(value, error.v[v], hn::Load(kFloats, to)), kFloats, to);
    }
  });
}

template <std::size_t kWidth>
void add_outer_products_tile(const Inputs& in, const float* errors, std::size_t stride, float scale,
                             float* weights) {
  const std::size_t words = mask_words(in.inputs);
  for (std::size_t word = 0; word < words; ++word) {
    for (std::size_t r = 0; r < in.rows; ++r) {
      const std::uint64_t bits = in.nonzero[r * words + word];
      if (bits == 0) continue;
      const float* error = errors + r * stride;
      if (in.bytes != nullptr) {
        add_outer_product_row<kWidth>(ByteRow{in.bytes[r]}, bits, word * kWordBits, error, scale,
                                      stride, weights);
      } else {
        const FloatRow row{in.floats + r * in.float_stride};
        add_outer_product_row<kWidth>(row, bits, word * kWordBits, error, scale, stride, weights);
      }
    }
  }
}

// Keeps the weights of kInputs inputs in registers while all rows are added to them.
template <std::size_t kWidth, std::size_t kInputs>
HWY_INLINE void add_outer_products_block(const float* HWY_RESTRICT blocks, std::size_t rows,
                                         const float* HWY_RESTRICT errors, std::size_t stride,
                                         float* HWY_RESTRICT weights) {
  Tile<kWidth> sums[kInputs];
  for (std::size_t k = 0; k < kInputs; ++k) sums[k] = Tile<kWidth>::load(weights + k * stride);
  for (std::size_t r = 0; r < rows; ++r) {
    V in[kInputs];
    for (std::size_t k = 0; k < kInputs; ++k) in[k] = hn::Set(kFloats, blocks[r * kWordBits + k]);
    for (std::size_t v = 0; v < kWidth; ++v) {
      const V error = hn::Load(kFloats, errors + r * stride + v * kLanes);
      for (std::size_t k = 0; k < kInputs; ++k)
        sums[k].v[v] = hn::MulAdd(in[k], error, sums[k].v[v]);
    }
  }
  for (std::size_t k = 0; k < kInputs; ++k) sums[k].store(weights + k * stride);
}

template <std::size_t kWidth>
void add_outer_products_dense_tile(const Inputs& in, const float* errors, std::size_t stride,
                                   float scale, float* weights) {
  constexpr std::size_t kRows = 32;
  constexpr std::size_t kInputs =
      std::max<std::size_t>(1, std::min<std::size_t>(4, kSums / kWidth));
  HWY_ALIGN float blocks[kRows * kWordBits];
  for (std::size_t row = 0; row < in.rows; row += kRows) {
    const std::size_t rows = std::min(kRows, in.rows - row);
    const float* error = errors + row * stride;
    for (std::size_t first = 0; first < in.inputs; first += kWordBits) {
      std::size_t count = 0;
      for (std::size_t r = 0; r < rows; ++r)
        count = load_block(in, row + r, first, scale, blocks + r * kWordBits);
      float* w = weights + first * stride;
      std::size_t k = 0;
      for (; k + kInputs <= count; k += kInputs)
        add_outer_products_block<kWidth, kInputs>(blocks + k, rows, error, stride, w + k * stride);
      for (; k < count; ++k)
        add_outer_products_block<kWidth, 1>(blocks + k, rows, error, stride, w + k * stride);
    }
  }
}

void add_outer_products(const Inputs& in, const float* errors, std::size_t stride, float scale,
                        float* weights, float* biases) {
  if (in.rows == 0) return;  // `errors` may be null
  for_each_tile(stride, [&](auto width, std::size_t first) HWY_ATTR {
    constexpr std::size_t kWidth = decltype(width)::value;
    auto sums = Tile<kWidth>::load(biases + first);
    for (std::size_t r = 0; r < in.rows; ++r)
      sums.add_scaled(hn::Set(kFloats, scale), errors + r * stride + first);
    sums.store(biases + first);
    if (in.density > kDenseUpdate) {
      add_outer_products_dense_tile<kWidth>(in, errors + first, stride, scale, weights + first);
    } else {
      add_outer_products_tile<kWidth>(in, errors + first, stride, scale, weights + first);
    }
  });
}

template <std::size_t kWidth>
void propagate_tile(const Inputs& in, const float* HWY_RESTRICT errors,
                    const float* HWY_RESTRICT weights, std::size_t stride,
                    float* HWY_RESTRICT in_errors) {
  const std::size_t words = mask_words(in.inputs);
  for (std::size_t r = 0; r < in.rows; ++r) {
    const auto error = Tile<kWidth>::load(errors + r * stride);
    float* HWY_RESTRICT result = in_errors + r * in.float_stride;
    for (std::size_t word = 0; word < words; ++word) {
      for_each_bit(in.nonzero[r * words + word], word * kWordBits, [&](std::size_t k) HWY_ATTR {
        const float* HWY_RESTRICT w = weights + k * stride;
        V sum = hn::Mul(error.v[0], hn::Load(kFloats, w));
        for (std::size_t v = 1; v < kWidth; ++v)
          sum = hn::MulAdd(error.v[v], hn::Load(kFloats, w + v * kLanes), sum);
        result[k] += hn::GetLane(hn::SumOfLanes(kFloats, sum));
      });
    }
  }
}

void propagate(const Inputs& in, const float* errors, const float* weights, std::size_t stride,
               float* in_errors) {
  if (in.rows == 0) return;
  for (std::size_t r = 0; r < in.rows; ++r)
    std::fill_n(in_errors + r * in.float_stride, in.float_stride, 0.0f);
  for_each_tile(stride, [&](auto width, std::size_t first) HWY_ATTR {
    propagate_tile<decltype(width)::value>(in, errors + first, weights + first, stride, in_errors);
  });
}

}  // namespace gps::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gps::kernels {

HWY_EXPORT(add_outer_products);
HWY_EXPORT(propagate);

void add_outer_products(const Inputs& in, const float* errors, std::size_t stride, float scale,
                        float* weights, float* biases) {
  HWY_DYNAMIC_DISPATCH(add_outer_products)(in, errors, stride, scale, weights, biases);
}
void propagate(const Inputs& in, const float* errors, const float* weights, std::size_t stride,
               float* in_errors) {
  HWY_DYNAMIC_DISPATCH(propagate)(in, errors, weights, stride, in_errors);
}

}  // namespace gps::kernels
#endif
