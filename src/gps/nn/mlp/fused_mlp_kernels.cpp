#include "gps/nn/mlp/fused_mlp_kernels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

// Vector lengths must be known at compile time, so that tiles of vectors can stay in registers.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gps/nn/mlp/fused_mlp_kernels.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace gps::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, kLane>;
using V = hn::Vec<D>;
constexpr D kFloats{};
constexpr std::size_t kLanes = std::min<std::size_t>(kLane, HWY_LANES(float));

// Number of vectors held in registers at a time: a tile of the padded outputs.
constexpr std::size_t kTile = 8;

// The value of each byte as the network sees it.
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

// Calls body(tile width as a constant, first output) for tiles of up to kTile vectors that cover
// `stride` floats.
template <typename Body>
HWY_INLINE void for_each_tile(std::size_t stride, const Body& body) {
  std::size_t vectors = stride / kLanes;
  std::size_t first = 0;
  for (; vectors >= kTile; vectors -= kTile, first += kTile * kLanes) {
    body(std::integral_constant<std::size_t, kTile>(), first);
  }
  switch (vectors) {
    case 7:
      return body(std::integral_constant<std::size_t, 7>(), first);
    case 6:
      return body(std::integral_constant<std::size_t, 6>(), first);
    case 5:
      return body(std::integral_constant<std::size_t, 5>(), first);
    case 4:
      return body(std::integral_constant<std::size_t, 4>(), first);
    case 3:
      return body(std::integral_constant<std::size_t, 3>(), first);
    case 2:
      return body(std::integral_constant<std::size_t, 2>(), first);
    case 1:
      return body(std::integral_constant<std::size_t, 1>(), first);
    default:
      return;
  }
}

// kWidth vectors that stay in registers.
template <std::size_t kWidth>
struct Tile {
  V v[kWidth];

  static HWY_INLINE Tile load(const float* HWY_RESTRICT from) {
    Tile tile;
    for (std::size_t k = 0; k < kWidth; ++k) tile.v[k] = hn::Load(kFloats, from + k * kLanes);
    return tile;
  }
  HWY_INLINE void store(float* HWY_RESTRICT to) const {
    for (std::size_t k = 0; k < kWidth; ++k) hn::Store(v[k], kFloats, to + k * kLanes);
  }
  // this += factor · values
  HWY_INLINE void add_scaled(V factor, const float* HWY_RESTRICT values) {
    for (std::size_t k = 0; k < kWidth; ++k)
      v[k] = hn::MulAdd(factor, hn::Load(kFloats, values + k * kLanes), v[k]);
  }
};

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

// Writes the inputs [first, first + kWordBits) of row r, as far as they exist, times `scale` to
// `block`. Returns their number.
HWY_INLINE std::size_t load_block(const Inputs& in, std::size_t r, std::size_t first, float scale,
                                  float* HWY_RESTRICT block) {
  const std::size_t count = std::min(kWordBits, in.inputs - first);
  std::size_t k = 0;
  if (in.bytes != nullptr) {
    const hn::Rebind<std::uint8_t, D> bytes;
    const hn::Rebind<std::int32_t, D> ints;
    const V unit = hn::Set(kFloats, scale / 255.0f);
    const std::uint8_t* row = in.bytes[r] + first;
    for (; k + kLanes <= count; k += kLanes) {
      const auto values = hn::ConvertTo(kFloats, hn::PromoteTo(ints, hn::LoadU(bytes, row + k)));
      hn::Store(hn::Mul(values, unit), kFloats, block + k);
    }
    for (; k < count; ++k) block[k] = static_cast<float>(row[k]) * (scale / 255.0f);
  } else {
    const V factor = hn::Set(kFloats, scale);
    const float* row = in.floats + r * in.float_stride + first;
    for (; k + kLanes <= count; k += kLanes) {
      hn::Store(hn::Mul(hn::LoadU(kFloats, row + k), factor), kFloats, block + k);
    }
    for (; k < count; ++k) block[k] = row[k] * scale;
  }
  return count;
}

// Number of vectors of sums that fit into the registers beside their operands.
constexpr std::size_t kSums = kLanes == 16 ? 28 : 12;

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
  for (std::size_t r = 0; r < in.rows; ++r)
    std::fill_n(in_errors + r * in.float_stride, in.float_stride, 0.0f);
  for_each_tile(stride, [&](auto width, std::size_t first) HWY_ATTR {
    propagate_tile<decltype(width)::value>(in, errors + first, weights + first, stride, in_errors);
  });
}

float cross_entropy(const float* HWY_RESTRICT logits, std::size_t classes, std::size_t stride,
                    std::size_t label, float weight, float* HWY_RESTRICT errors) {
  float largest = logits[0];
  for (std::size_t c = 1; c < classes; ++c) largest = std::max(largest, logits[c]);
  const V shift = hn::Set(kFloats, largest);
  V total = hn::Zero(kFloats);
  for (std::size_t c = 0; c < stride; c += kLanes) {
    if (c >= classes) break;
    const auto real = hn::FirstN(kFloats, classes - c);
    total = hn::Add(
        total,
        hn::IfThenElseZero(real, hn::Exp(kFloats, hn::Sub(hn::Load(kFloats, logits + c), shift))));
  }
  const float sum = hn::GetLane(hn::SumOfLanes(kFloats, total));
  const V scale = hn::Set(kFloats, weight / sum);
  for (std::size_t c = 0; c < stride; c += kLanes) {
    if (c >= classes) break;
    const auto real = hn::FirstN(kFloats, classes - c);
    const V exponential = hn::Exp(kFloats, hn::Sub(hn::Load(kFloats, logits + c), shift));
    const V error = hn::MulAdd(exponential, scale, hn::Load(kFloats, errors + c));
    hn::Store(hn::IfThenElse(real, error, hn::Load(kFloats, errors + c)), kFloats, errors + c);
  }
  errors[label] -= weight;
  return std::log(sum) - (logits[label] - largest);
}

HWY_INLINE std::int64_t dot_bytes(const std::uint8_t* HWY_RESTRICT a,
                                  const std::uint8_t* HWY_RESTRICT b, std::size_t count) {
  const hn::ScalableTag<std::int16_t> d16;
  const hn::Rebind<std::uint8_t, decltype(d16)> d8;
  const hn::RepartitionToWide<decltype(d16)> d32;
  const std::size_t lanes = hn::Lanes(d16);
  constexpr std::size_t kChunk = 32768;  // 32-bit sums of this many products (at most 65025) fit
  std::int64_t total = 0;
  std::size_t k = 0;
  while (k + lanes <= count) {
    const std::size_t end = std::min(count, k + kChunk);
    auto even = hn::Zero(d32);
    auto odd = hn::Zero(d32);
    for (; k + lanes <= end; k += lanes) {
      even = hn::ReorderWidenMulAccumulate(d32, hn::PromoteTo(d16, hn::LoadU(d8, a + k)),
                                           hn::PromoteTo(d16, hn::LoadU(d8, b + k)), even, odd);
    }
    total += hn::GetLane(hn::SumOfLanes(d32, hn::Add(even, odd)));
  }
  for (; k < count; ++k) total += static_cast<std::int64_t>(a[k]) * b[k];
  return total;
}

void gram_bytes(const std::uint8_t* a, std::size_t a_rows, const std::uint8_t* b,
                std::size_t b_rows, std::size_t inputs, float* out) {
  for (std::size_t i = 0; i < a_rows; ++i) {
    for (std::size_t j = 0; j < b_rows; ++j) {
      const std::int64_t dot = dot_bytes(a + i * inputs, b + j * inputs, inputs);
      out[i * b_rows + j] = static_cast<float>(static_cast<double>(dot) / (255.0 * 255.0));
    }
  }
}

void gram_floats(const float* a, std::size_t a_rows, const float* b, std::size_t b_rows,
                 std::size_t stride, float* out) {
  for (std::size_t i = 0; i < a_rows; ++i) {
    for (std::size_t j = 0; j < b_rows; ++j) {
      V sum = hn::Zero(kFloats);
      for (std::size_t k = 0; k < stride; k += kLanes) {
        sum = hn::MulAdd(hn::Load(kFloats, a + i * stride + k),
                         hn::Load(kFloats, b + j * stride + k), sum);
      }
      out[i * b_rows + j] = hn::GetLane(hn::SumOfLanes(kFloats, sum));
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
HWY_EXPORT(add_outer_products);
HWY_EXPORT(propagate);
HWY_EXPORT(cross_entropy);
HWY_EXPORT(gram_bytes);
HWY_EXPORT(gram_floats);
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
void add_outer_products(const Inputs& in, const float* errors, std::size_t stride, float scale,
                        float* weights, float* biases) {
  HWY_DYNAMIC_DISPATCH(add_outer_products)(in, errors, stride, scale, weights, biases);
}
void propagate(const Inputs& in, const float* errors, const float* weights, std::size_t stride,
               float* in_errors) {
  HWY_DYNAMIC_DISPATCH(propagate)(in, errors, weights, stride, in_errors);
}
float cross_entropy(const float* logits, std::size_t classes, std::size_t stride, std::size_t label,
                    float weight, float* errors) {
  return HWY_DYNAMIC_DISPATCH(cross_entropy)(logits, classes, stride, label, weight, errors);
}
void gram_bytes(const std::uint8_t* a, std::size_t a_rows, const std::uint8_t* b,
                std::size_t b_rows, std::size_t inputs, float* out) {
  HWY_DYNAMIC_DISPATCH(gram_bytes)(a, a_rows, b, b_rows, inputs, out);
}
void gram_floats(const float* a, std::size_t a_rows, const float* b, std::size_t b_rows,
                 std::size_t stride, float* out) {
  HWY_DYNAMIC_DISPATCH(gram_floats)(a, a_rows, b, b_rows, stride, out);
}
const char* target_name() { return HWY_DYNAMIC_DISPATCH(target_name)(); }

}  // namespace gps::kernels
#endif
