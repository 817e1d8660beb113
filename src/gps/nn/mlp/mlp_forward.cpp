// From the inputs of a layer to its outputs: which inputs are not zero, sums over these, and what
// ReLU leaves of them.
#include "gps/nn/mlp/fused_mlp_kernels.h"

#include <algorithm>
#include <array>
#include <bit>

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gps/nn/mlp/mlp_forward.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
#include <hwy/highway.h>

#include "gps/nn/mlp/mlp_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gps::kernels::HWY_NAMESPACE {

// Sets the bits of a row's mask from input k on, a vector of bytes at a time, as far as whole
// vectors go. Returns the first input that is not covered.
template <class DU8>
HWY_INLINE std::size_t mark_nonzero(DU8 d, const std::uint8_t* HWY_RESTRICT row, std::size_t k,
                                    std::size_t inputs, std::uint8_t* HWY_RESTRICT mask) {
  const std::size_t lanes = hn::Lanes(d);
  if (lanes % 8 != 0) return k;
  const auto zero = hn::Zero(d);
  for (; k + lanes <= inputs; k += lanes) {
    hn::StoreMaskBits(d, hn::Ne(hn::LoadU(d, row + k), zero), mask + k / 8);
  }
  return k;
}

// Visits rows and bytes in ascending order, because StoreMaskBits may write up to eight bytes. The
// bytes beyond its own bits are overwritten by later writes; after the last row they lie in the
// spare word.
void find_nonzero(const std::uint8_t* const* rows, std::size_t count, std::size_t inputs,
                  std::uint64_t* nonzero) {
  static_assert(std::endian::native == std::endian::little);
  const std::size_t words = mask_words(inputs);
  for (std::size_t r = 0; r < count; ++r) {
    auto* mask = reinterpret_cast<std::uint8_t*>(nonzero + r * words);
    std::size_t k = mark_nonzero(hn::ScalableTag<std::uint8_t>(), rows[r], 0, inputs, mask);
    k = mark_nonzero(hn::CappedTag<std::uint8_t, 16>(), rows[r], k, inputs, mask);
    for (; k < inputs; k += 8) {
      unsigned bits = 0;
      for (std::size_t b = 0; b < std::min<std::size_t>(8, inputs - k); ++b) {
        bits |= static_cast<unsigned>(rows[r][k + b] != 0) << b;
      }
      mask[k / 8] = static_cast<std::uint8_t>(bits);
    }
    std::fill(mask + (inputs + 7) / 8, mask + words * 8, std::uint8_t{0});
  }
}

float density(const std::uint64_t* nonzero, std::size_t rows, std::size_t inputs) {
  const hn::ScalableTag<std::uint64_t> d;
  const std::size_t words = rows * mask_words(inputs);
  auto counts = hn::Zero(d);
  std::size_t word = 0;
  for (; word + hn::Lanes(d) <= words; word += hn::Lanes(d))
    counts = hn::Add(counts, hn::PopulationCount(hn::LoadU(d, nonzero + word)));
  std::uint64_t set = hn::GetLane(hn::SumOfLanes(d, counts));
  for (; word < words; ++word) set += static_cast<std::uint64_t>(std::popcount(nonzero[word]));
  return static_cast<float>(set) / static_cast<float>(rows * inputs);
}

// Processes a word of 64 inputs at a time for all rows, so that the weights of these inputs stay in
// the first-level cache.
template <std::size_t kWidth, typename Row>
HWY_INLINE void affine_row(Row row, std::uint64_t bits, std::size_t first_input,
                           const float* HWY_RESTRICT weights, std::size_t stride,
                           float* HWY_RESTRICT out) {
  auto sums = Tile<kWidth>::load(out);
  for_each_bit(bits, first_input, [&](std::size_t k) HWY_ATTR {
    sums.add_scaled(hn::Set(kFloats, row[k]), weights + k * stride);
  });
  sums.store(out);
}

template <std::size_t kWidth>
void affine_tile(const Inputs& in, const float* weights, std::size_t stride, float* out) {
  const std::size_t words = mask_words(in.inputs);
  for (std::size_t word = 0; word < words; ++word) {
    for (std::size_t r = 0; r < in.rows; ++r) {
      const std::uint64_t bits = in.nonzero[r * words + word];
      if (bits == 0) continue;
      float* sums = out + r * stride;
      if (in.bytes != nullptr) {
        affine_row<kWidth>(ByteRow{in.bytes[r]}, bits, word * kWordBits, weights, stride, sums);
      } else {
        affine_row<kWidth>(FloatRow{in.floats + r * in.float_stride}, bits, word * kWordBits,
                           weights, stride, sums);
      }
    }
  }
}

template <std::size_t kWidth, std::size_t kRows>
HWY_INLINE void affine_block(const float* HWY_RESTRICT blocks, std::size_t count,
                             const float* HWY_RESTRICT weights, std::size_t stride,
                             float* HWY_RESTRICT out) {
  Tile<kWidth> sums[kRows];
  for (std::size_t r = 0; r < kRows; ++r) sums[r] = Tile<kWidth>::load(out + r * stride);
  for (std::size_t k = 0; k < count; ++k) {
    V in[kRows];
    for (std::size_t r = 0; r < kRows; ++r) in[r] = hn::Set(kFloats, blocks[r * kWordBits + k]);
    for (std::size_t v = 0; v < kWidth; ++v) {
      const V w = hn::Load(kFloats, weights + k * stride + v * kLanes);
      for (std::size_t r = 0; r < kRows; ++r) sums[r].v[v] = hn::MulAdd(in[r], w, sums[r].v[v]);
    }
  }
  for (std::size_t r = 0; r < kRows; ++r) sums[r].store(out + r * stride);
}

// Ignores the masks; several rows at a time share each load of a weight.
template <std::size_t kWidth>
void affine_dense_tile(const Inputs& in, const float* weights, std::size_t stride, float* out) {
  constexpr std::size_t kRows = std::max<std::size_t>(1, std::min<std::size_t>(8, kSums / kWidth));
  HWY_ALIGN float blocks[kRows * kWordBits];
  for (std::size_t first = 0; first < in.inputs; first += kWordBits) {
    const float* w = weights + first * stride;
    std::size_t r = 0;
    for (; r + kRows <= in.rows; r += kRows) {
      std::size_t count = 0;
      for (std::size_t k = 0; k < kRows; ++k)
        count = load_block(in, r + k, first, 1.0f, blocks + k * kWordBits);
      affine_block<kWidth, kRows>(blocks, count, w, stride, out + r * stride);
    }
    for (; r < in.rows; ++r) {
      const std::size_t count = load_block(in, r, first, 1.0f, blocks);
      affine_block<kWidth, 1>(blocks, count, w, stride, out + r * stride);
    }
  }
}

void affine(const Inputs& in, const float* weights, const float* biases, std::size_t stride,
            float* out) {
  if (in.rows == 0) return;  // `out` may be null
  for (std::size_t r = 0; r < in.rows; ++r) std::copy_n(biases, stride, out + r * stride);
  for_each_tile(stride, [&](auto width, std::size_t first) HWY_ATTR {
    constexpr std::size_t kWidth = decltype(width)::value;
    if (in.density > kDenseAffine) {
      affine_dense_tile<kWidth>(in, weights + first, stride, out + first);
    } else {
      affine_tile<kWidth>(in, weights + first, stride, out + first);
    }
  });
}

void relu(float* values, std::size_t rows, std::size_t units, std::size_t stride,
          std::uint64_t* nonzero) {
  const std::size_t words = mask_words(units);
  const V zero = hn::Zero(kFloats);
  for (std::size_t r = 0; r < rows; ++r) {
    std::uint64_t* mask = nonzero + r * words;
    std::fill_n(mask, words, 0);
    float* row = values + r * stride;
    // Padding holds zeros, so it never sets a bit; kLanes divides 64, so a vector never straddles
    // two words.
    for (std::size_t k = 0; k < units; k += kLanes) {
      const V value = hn::Max(hn::Load(kFloats, row + k), zero);
      hn::Store(value, kFloats, row + k);
      std::array<std::uint8_t, 8> bytes{};  // StoreMaskBits may write up to eight
      hn::StoreMaskBits(kFloats, hn::Gt(value, zero), bytes.data());
      const unsigned bits = bytes[0] | (static_cast<unsigned>(bytes[1]) << 8);
      mask[k / kWordBits] |= std::uint64_t{bits} << (k % kWordBits);
    }
  }
}

const char* target_name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace gps::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gps::kernels {

HWY_EXPORT(find_nonzero);
HWY_EXPORT(density);
HWY_EXPORT(affine);
HWY_EXPORT(relu);
HWY_EXPORT(target_name);

void find_nonzero(const std::uint8_t* const* rows, std::size_t count, std::size_t inputs,
                  std::uint64_t* nonzero) {
  HWY_DYNAMIC_DISPATCH(find_nonzero)(rows, count, inputs, nonzero);
}
void fill_mask(std::size_t rows, std::size_t inputs, std::uint64_t* nonzero) {
  const std::size_t words = mask_words(inputs);
  for (std::size_t r = 0; r < rows; ++r) {
    std::fill_n(nonzero + r * words, words, ~std::uint64_t{0});
    if (inputs % kWordBits != 0) {
      nonzero[(r + 1) * words - 1] = (std::uint64_t{1} << (inputs % kWordBits)) - 1;
    }
  }
}
float density(const std::uint64_t* nonzero, std::size_t rows, std::size_t inputs) {
  return HWY_DYNAMIC_DISPATCH(density)(nonzero, rows, inputs);
}
void affine(const Inputs& in, const float* weights, const float* biases, std::size_t stride,
            float* out) {
  HWY_DYNAMIC_DISPATCH(affine)(in, weights, biases, stride, out);
}
void relu(float* values, std::size_t rows, std::size_t units, std::size_t stride,
          std::uint64_t* nonzero) {
  HWY_DYNAMIC_DISPATCH(relu)(values, rows, units, stride, nonzero);
}
const char* target_name() { return HWY_DYNAMIC_DISPATCH(target_name)(); }

}  // namespace gps::kernels
#endif
