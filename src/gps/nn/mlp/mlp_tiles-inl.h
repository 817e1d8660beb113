// What the kernels of the MLP share, for each instruction set: vectors of floats, tiles of them in
// registers, and the inputs of a layer as numbers. Included by kernels, after highway.h and inside
// no namespace. The kernels leave out instruction sets whose vector lengths are not known when
// compiling: tiles could not live in registers.
#if defined(GPS_NN_MLP_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GPS_NN_MLP_TILES_INL_H_
#undef GPS_NN_MLP_TILES_INL_H_
#else
#define GPS_NN_MLP_TILES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "gps/nn/mlp/fused_mlp_kernels.h"

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

}  // namespace gps::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // GPS_NN_MLP_TILES_INL_H_
