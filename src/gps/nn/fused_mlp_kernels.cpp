#include "gps/nn/fused_mlp_kernels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gps/nn/fused_mlp_kernels.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace gps::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, kLane>;
using V = hn::Vec<D>;
constexpr D kFloats{};

// Vectors held in registers at a time: a tile of the padded outputs.
constexpr std::size_t kTile = 8;

// A byte as the network sees it.
constexpr std::array<float, 256> make_byte_values() {
  std::array<float, 256> values{};
  for (std::size_t b = 0; b < values.size(); ++b) values[b] = static_cast<float>(b) / 255.0f;
  return values;
}
constexpr std::array<float, 256> kByteValues = make_byte_values();

struct ByteRow {
  const std::uint8_t* values;
  HWY_INLINE float operator[](std::size_t k) const { return kByteValues[values[k]]; }
};
struct FloatRow {
  const float* values;
  HWY_INLINE float operator[](std::size_t k) const { return values[k]; }
};

// Calls visit(k) for each set bit of one word of a row's mask.
template <typename Visit>
HWY_INLINE void for_each_bit(std::uint64_t word, std::size_t first, const Visit& visit) {
  while (word != 0) {
    visit(first + static_cast<std::size_t>(std::countr_zero(word)));
    word &= word - 1;
  }
}

// Calls body(row, row's inputs) with the row's inputs as bytes or floats.
template <typename Body>
HWY_INLINE void for_each_row(const Inputs& in, const Body& body) {
  if (in.bytes != nullptr) {
    for (std::size_t r = 0; r < in.rows; ++r) body(r, ByteRow{in.bytes[r]});
  } else {
    for (std::size_t r = 0; r < in.rows; ++r) body(r, FloatRow{in.floats + r * in.float_stride});
  }
}

// Calls body(tile width as a constant, first output) for tiles of up to kTile vectors that cover `stride` floats.
template <typename Body>
HWY_INLINE void for_each_tile(std::size_t stride, const Body& body) {
  const std::size_t lanes = hn::Lanes(kFloats);
  std::size_t vectors = stride / lanes;
  std::size_t first = 0;
  for (; vectors >= kTile; vectors -= kTile, first += kTile * lanes) {
    body(std::integral_constant<std::size_t, kTile>(), first);
  }
  switch (vectors) {
    case 7: return body(std::integral_constant<std::size_t, 7>(), first);
    case 6: return body(std::integral_constant<std::size_t, 6>(), first);
    case 5: return body(std::integral_constant<std::size_t, 5>(), first);
    case 4: return body(std::integral_constant<std::size_t, 4>(), first);
    case 3: return body(std::integral_constant<std::size_t, 3>(), first);
    case 2: return body(std::integral_constant<std::size_t, 2>(), first);
    case 1: return body(std::integral_constant<std::size_t, 1>(), first);
    default: return;
  }
}

void FindNonzero(const std::uint8_t* const* rows, std::size_t count, std::size_t inputs,
                 std::uint64_t* nonzero) {
  const hn::CappedTag<std::uint8_t, 16> d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t words = mask_words(inputs);
  for (std::size_t r = 0; r < count; ++r) {
    std::uint64_t* mask = nonzero + r * words;
    std::fill_n(mask, words, 0);
    const std::uint8_t* row = rows[r];
    std::size_t k = 0;
    if (lanes == 16) {
      const auto zero = hn::Zero(d);
      for (; k + 16 <= inputs; k += 16) {
        std::array<std::uint8_t, 8> bits{};  // StoreMaskBits may write up to eight bytes
        hn::StoreMaskBits(d, hn::Ne(hn::LoadU(d, row + k), zero), bits.data());
        const std::uint64_t sixteen = static_cast<std::uint64_t>(bits[0]) | (static_cast<std::uint64_t>(bits[1]) << 8);
        mask[k / kWordBits] |= sixteen << (k % kWordBits);
      }
    }
    for (; k < inputs; ++k) {
      mask[k / kWordBits] |= static_cast<std::uint64_t>(row[k] != 0) << (k % kWordBits);
    }
  }
}

// Inputs are taken a word of 64 at a time for all rows, so that their rows of weights stay in the first-level cache.
void Affine(const Inputs& in, const float* HWY_RESTRICT weights, const float* HWY_RESTRICT biases,
            std::size_t stride, float* HWY_RESTRICT out) {
  for (std::size_t r = 0; r < in.rows; ++r) std::copy_n(biases, stride, out + r * stride);
  const std::size_t lanes = hn::Lanes(kFloats);
  const std::size_t words = mask_words(in.inputs);
  for_each_tile(stride, [&](auto width, std::size_t first) HWY_ATTR {
    constexpr std::size_t kWidth = decltype(width)::value;
    for (std::size_t word = 0; word < words; ++word) {
      for_each_row(in, [&](std::size_t r, const auto& row) HWY_ATTR {
        const std::uint64_t bits = in.nonzero[r * words + word];
        if (bits == 0) return;
        float* HWY_RESTRICT sums = out + r * stride + first;
        V sum[kWidth];
        for (std::size_t v = 0; v < kWidth; ++v) sum[v] = hn::Load(kFloats, sums + v * lanes);
        for_each_bit(bits, word * kWordBits, [&](std::size_t k) HWY_ATTR {
          const V value = hn::Set(kFloats, row[k]);
          const float* HWY_RESTRICT w = weights + k * stride + first;
          for (std::size_t v = 0; v < kWidth; ++v) {
            sum[v] = hn::MulAdd(value, hn::Load(kFloats, w + v * lanes), sum[v]);
          }
        });
        for (std::size_t v = 0; v < kWidth; ++v) hn::Store(sum[v], kFloats, sums + v * lanes);
      });
    }
  });
}

void Relu(float* values, std::size_t rows, std::size_t units, std::size_t stride, std::uint64_t* nonzero) {
  const std::size_t words = mask_words(units);
  const std::size_t lanes = hn::Lanes(kFloats);
  const V zero = hn::Zero(kFloats);
  for (std::size_t r = 0; r < rows; ++r) {
    std::uint64_t* mask = nonzero + r * words;
    std::fill_n(mask, words, 0);
    float* row = values + r * stride;
    // Padding holds zeros, so it never sets a bit; lanes divides 64, so a vector never straddles two words.
    for (std::size_t k = 0; k < units; k += lanes) {
      const V value = hn::Max(hn::Load(kFloats, row + k), zero);
      hn::Store(value, kFloats, row + k);
      std::array<std::uint8_t, 8> bytes{};
      hn::StoreMaskBits(kFloats, hn::Gt(value, zero), bytes.data());
      const std::uint64_t bits = static_cast<std::uint64_t>(bytes[0]) | (static_cast<std::uint64_t>(bytes[1]) << 8);
      mask[k / kWordBits] |= bits << (k % kWordBits);
    }
  }
}

void AddOuterProducts(const Inputs& in, const float* HWY_RESTRICT errors, std::size_t stride, float scale,
                      float* HWY_RESTRICT weights, float* HWY_RESTRICT biases) {
  const std::size_t lanes = hn::Lanes(kFloats);
  const std::size_t words = mask_words(in.inputs);
  for_each_tile(stride, [&](auto width, std::size_t first) HWY_ATTR {
    constexpr std::size_t kWidth = decltype(width)::value;
    const V factor = hn::Set(kFloats, scale);
    V bias[kWidth];
    for (std::size_t v = 0; v < kWidth; ++v) bias[v] = hn::Load(kFloats, biases + first + v * lanes);
    for (std::size_t r = 0; r < in.rows; ++r) {
      const float* HWY_RESTRICT e = errors + r * stride + first;
      for (std::size_t v = 0; v < kWidth; ++v) {
        bias[v] = hn::MulAdd(factor, hn::Load(kFloats, e + v * lanes), bias[v]);
      }
    }
    for (std::size_t v = 0; v < kWidth; ++v) hn::Store(bias[v], kFloats, biases + first + v * lanes);

    for (std::size_t word = 0; word < words; ++word) {
      for_each_row(in, [&](std::size_t r, const auto& row) HWY_ATTR {
        const std::uint64_t bits = in.nonzero[r * words + word];
        if (bits == 0) return;
        const float* HWY_RESTRICT e = errors + r * stride + first;
        V error[kWidth];
        for (std::size_t v = 0; v < kWidth; ++v) {
          error[v] = hn::Mul(factor, hn::Load(kFloats, e + v * lanes));
        }
        for_each_bit(bits, word * kWordBits, [&](std::size_t k) HWY_ATTR {
          const V value = hn::Set(kFloats, row[k]);
          float* HWY_RESTRICT w = weights + k * stride + first;
          for (std::size_t v = 0; v < kWidth; ++v) {
            hn::Store(hn::MulAdd(value, error[v], hn::Load(kFloats, w + v * lanes)), kFloats, w + v * lanes);
          }
        });
      });
    }
  });
}

void Propagate(const Inputs& in, const float* HWY_RESTRICT errors, const float* HWY_RESTRICT weights,
               std::size_t stride, float* HWY_RESTRICT in_errors) {
  const std::size_t lanes = hn::Lanes(kFloats);
  const std::size_t words = mask_words(in.inputs);
  for (std::size_t r = 0; r < in.rows; ++r) std::fill_n(in_errors + r * in.float_stride, in.float_stride, 0.0f);
  for_each_tile(stride, [&](auto width, std::size_t first) HWY_ATTR {
    constexpr std::size_t kWidth = decltype(width)::value;
    for (std::size_t r = 0; r < in.rows; ++r) {
      const float* HWY_RESTRICT e = errors + r * stride + first;
      V error[kWidth];
      for (std::size_t v = 0; v < kWidth; ++v) error[v] = hn::Load(kFloats, e + v * lanes);
      float* HWY_RESTRICT result = in_errors + r * in.float_stride;
      for (std::size_t word = 0; word < words; ++word) {
        for_each_bit(in.nonzero[r * words + word], word * kWordBits, [&](std::size_t k) HWY_ATTR {
          const float* HWY_RESTRICT w = weights + k * stride + first;
          V sum = hn::Mul(error[0], hn::Load(kFloats, w));
          for (std::size_t v = 1; v < kWidth; ++v) {
            sum = hn::MulAdd(error[v], hn::Load(kFloats, w + v * lanes), sum);
          }
          result[k] += hn::GetLane(hn::SumOfLanes(kFloats, sum));
        });
      }
    }
  });
}

float CrossEntropyRow(const float* HWY_RESTRICT logits, std::size_t classes, std::size_t stride,
                      std::size_t label, float weight, float* HWY_RESTRICT errors) {
  const std::size_t lanes = hn::Lanes(kFloats);
  float largest = logits[0];
  for (std::size_t c = 1; c < classes; ++c) largest = std::max(largest, logits[c]);
  const V shift = hn::Set(kFloats, largest);
  V total = hn::Zero(kFloats);
  for (std::size_t c = 0; c < stride; c += lanes) {
    if (c >= classes) break;
    const auto real = hn::FirstN(kFloats, classes - c);
    total = hn::Add(total, hn::IfThenElseZero(real, hn::Exp(kFloats, hn::Sub(hn::Load(kFloats, logits + c), shift))));
  }
  const float sum = hn::GetLane(hn::SumOfLanes(kFloats, total));
  const V scale = hn::Set(kFloats, weight / sum);
  for (std::size_t c = 0; c < stride; c += lanes) {
    if (c >= classes) break;
    const auto real = hn::FirstN(kFloats, classes - c);
    const V exponential = hn::Exp(kFloats, hn::Sub(hn::Load(kFloats, logits + c), shift));
    const V error = hn::MulAdd(exponential, scale, hn::Load(kFloats, errors + c));
    hn::Store(hn::IfThenElse(real, error, hn::Load(kFloats, errors + c)), kFloats, errors + c);
  }
  errors[label] -= weight;
  return std::log(sum) - (logits[label] - largest);
}

const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

}  // namespace gps::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gps::kernels {

HWY_EXPORT(FindNonzero);
HWY_EXPORT(Affine);
HWY_EXPORT(Relu);
HWY_EXPORT(AddOuterProducts);
HWY_EXPORT(Propagate);
HWY_EXPORT(CrossEntropyRow);
HWY_EXPORT(TargetName);

void find_nonzero(const std::uint8_t* const* rows, std::size_t count, std::size_t inputs, std::uint64_t* nonzero) {
  HWY_DYNAMIC_DISPATCH(FindNonzero)(rows, count, inputs, nonzero);
}
void affine(const Inputs& in, const float* weights, const float* biases, std::size_t stride, float* out) {
  HWY_DYNAMIC_DISPATCH(Affine)(in, weights, biases, stride, out);
}
void relu(float* values, std::size_t rows, std::size_t units, std::size_t stride, std::uint64_t* nonzero) {
  HWY_DYNAMIC_DISPATCH(Relu)(values, rows, units, stride, nonzero);
}
void add_outer_products(const Inputs& in, const float* errors, std::size_t stride, float scale, float* weights,
                        float* biases) {
  HWY_DYNAMIC_DISPATCH(AddOuterProducts)(in, errors, stride, scale, weights, biases);
}
void propagate(const Inputs& in, const float* errors, const float* weights, std::size_t stride, float* in_errors) {
  HWY_DYNAMIC_DISPATCH(Propagate)(in, errors, weights, stride, in_errors);
}
float cross_entropy(const float* logits, std::size_t classes, std::size_t stride, std::size_t label, float weight,
                    float* errors) {
  return HWY_DYNAMIC_DISPATCH(CrossEntropyRow)(logits, classes, stride, label, weight, errors);
}
const char* target_name() { return HWY_DYNAMIC_DISPATCH(TargetName)(); }

}  // namespace gps::kernels
#endif
