#include "gps/nn/resnet18/amx_products.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>

#include "gps/core/simd_target.h"

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)

#include <immintrin.h>

namespace gps::amx {
namespace {

constexpr std::size_t kRows = 16;    // rows of a tile
constexpr std::size_t kDepth = 32;   // values in a row of a tile
constexpr std::size_t kBlock = 256;  // positions whose outer products are summed at a time
static_assert(kPanel == 2 * kRows && kPanel == kDepth);

}  // namespace

bool available() { return may_use_tiles(); }

// Do not use templates of the standard library below: they would be compiled for these instruction
// sets alone, and the linker might keep these copies for the whole program.
#pragma GCC push_options
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // caused by GCC 12's own header
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512bf16,amx-tile,amx-bf16")

namespace {

// Configures all eight tiles with their full size; releases them at the end of the scope.
class Tiles {
 public:
  Tiles() {
    struct alignas(64) Configuration {
      std::uint8_t palette = 1;
      std::uint8_t start_row = 0;
      std::uint8_t reserved[14] = {};
      std::uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
      std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
    };
    static const Configuration whole;
    _tile_loadconfig(&whole);
    // The tile intrinsics do not tell the compiler which memory they read.
    __asm__ volatile("" ::: "memory");
  }
  ~Tiles() { _tile_release(); }
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;
};

inline void clear_sums() {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
}

// Adds the product of 32 rows at `a` and 32 columns at `b`, one tile deep, to tiles 0 to 3.
inline void multiply(const Bf16* a, std::size_t a_stride, const Bf16* b) {
  constexpr std::size_t kStride = 2 * kPanel * sizeof(Bf16);
  const std::size_t stride = a_stride * sizeof(Bf16);
  _tile_loadd(6, b, kStride);
  _tile_loadd(4, a, stride);
  _tile_loadd(7, b + kDepth, kStride);
  _tile_loadd(5, a + kRows * a_stride, stride);
  _tile_dpbf16ps(0, 4, 6);
  _tile_dpbf16ps(1, 4, 7);
  _tile_dpbf16ps(2, 5, 6);
  _tile_dpbf16ps(3, 5, 7);
}

inline void store_sums(float* sums) {
  constexpr std::size_t kStride = kPanel * sizeof(float);
  _tile_stored(0, sums, kStride);
  _tile_stored(1, sums + kRows, kStride);
  _tile_stored(2, sums + kRows * kPanel, kStride);
  _tile_stored(3, sums + kRows * kPanel + kRows, kStride);
}

inline __m512i load(const Bf16* from) { return _mm512_loadu_si512(from); }
inline void store(Bf16* to, __m512i value) { _mm512_storeu_si512(to, value); }

inline __m512i round_to_bf16(const float* from) {
  return (__m512i)_mm512_cvtne2ps_pbh(_mm512_loadu_ps(from + kRows), _mm512_loadu_ps(from));
}

// Two rows of 32 values, interleaved into 32 pairs: the first 16 pairs and the last 16.
struct Pairs {
  __m512i first;
  __m512i last;
};
inline Pairs interleaved(__m512i even, __m512i odd) {
  alignas(64) static constexpr std::uint16_t kFirst[32] = {
      0, 32, 1, 33, 2,  34, 3,  35, 4,  36, 5,  37, 6,  38, 7,  39,
      8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47};
  const __m512i first = _mm512_load_si512(kFirst);
  const __m512i last = _mm512_add_epi16(first, _mm512_set1_epi16(16));
  return {_mm512_permutex2var_epi16(even, first, odd), _mm512_permutex2var_epi16(even, last, odd)};
}

// Transposes 16 x 16 values of 32 bits.
inline void transpose(__m512i (&r)[16]) {
  __m512i t[16];
  for (int k = 0; k < 16; k += 2) {
    t[k] = _mm512_unpacklo_epi32(r[k], r[k + 1]);
    t[k + 1] = _mm512_unpackhi_epi32(r[k], r[k + 1]);
  }
  for (int k = 0; k < 16; k += 4) {
    r[k] = _mm512_unpacklo_epi64(t[k], t[k + 2]);
    r[k + 1] = _mm512_unpackhi_epi64(t[k], t[k + 2]);
    r[k + 2] = _mm512_unpacklo_epi64(t[k + 1], t[k + 3]);
    r[k + 3] = _mm512_unpackhi_epi64(t[k + 1], t[k + 3]);
  }
  for (int k = 0; k < 4; ++k) {
    t[k] = _mm512_shuffle_i32x4(r[k], r[k + 4], 0x88);
    t[k + 4] = _mm512_shuffle_i32x4(r[k], r[k + 4], 0xdd);
    t[k + 8] = _mm512_shuffle_i32x4(r[k + 8], r[k + 12], 0x88);
    t[k + 12] = _mm512_shuffle_i32x4(r[k + 8], r[k + 12], 0xdd);
  }
  for (int k = 0; k < 4; ++k) {
    r[k] = _mm512_shuffle_i32x4(t[k], t[k + 8], 0x88);
    r[k + 4] = _mm512_shuffle_i32x4(t[k + 4], t[k + 12], 0x88);
    r[k + 8] = _mm512_shuffle_i32x4(t[k], t[k + 8], 0xdd);
    r[k + 12] = _mm512_shuffle_i32x4(t[k + 4], t[k + 12], 0xdd);
  }
}

// Transposes a block of 32 x 32 values.
inline void transpose_block(const Bf16* from, std::size_t from_stride, Bf16* to,
                            std::size_t to_stride) {
  __m512i first[16];
  __m512i last[16];
  for (std::size_t k = 0; k < kRows; ++k) {
    const Bf16* row = from + 2 * k * from_stride;
    const Pairs pairs = interleaved(load(row), load(row + from_stride));
    first[k] = pairs.first;
    last[k] = pairs.last;
  }
  transpose(first);
  transpose(last);
  for (std::size_t k = 0; k < kRows; ++k) {
    store(to + k * to_stride, first[k]);
    store(to + (k + kRows) * to_stride, last[k]);
  }
}

// Interleaves rows [0, count) of errors in pairs. Rows from there to kBlock are zero.
inline void pair_rows(const Bf16* errors, std::size_t count, std::size_t outputs, Bf16* paired) {
  for (std::size_t panel = 0; panel < outputs; panel += kPanel) {
    for (std::size_t p = 0; p < kBlock; p += 2) {
      const Bf16* row = errors + p * outputs + panel;
      const __m512i even = p < count ? load(row) : _mm512_setzero_si512();
      const __m512i odd = p + 1 < count ? load(row + outputs) : _mm512_setzero_si512();
      const Pairs pairs = interleaved(even, odd);
      store(paired, pairs.first);
      store(paired + kDepth, pairs.last);
      paired += 2 * kPanel;
    }
  }
}

}  // namespace

void pack(const float* weights, const WeightShape& shape, Bf16* packed) {
  for (std::size_t at = 0; at < shape.size(); at += 2 * kPanel) {
    const float* row = weights + at;
    const Pairs pairs = interleaved(round_to_bf16(row), round_to_bf16(row + kPanel));
    store(packed + at, pairs.first);
    store(packed + at + kDepth, pairs.last);
  }
}

void pack_transposed(const float* weights, const WeightShape& shape, Bf16* packed) {
  alignas(64) Bf16 block[kPanel * kPanel];
  alignas(64) Bf16 turned[kPanel * kPanel];
  for (std::size_t t = 0; t < shape.taps; ++t) {
    for (std::size_t o = 0; o < shape.outputs; o += kPanel) {
      for (std::size_t i = 0; i < shape.inputs; i += kPanel) {
        const float* from = weights + t * shape.tap_size() + o * shape.inputs + i * kPanel;
        Bf16* to = packed + t * shape.tap_size() + i * shape.outputs + o * kPanel;
        for (std::size_t k = 0; k < kPanel; ++k)
          store(block + k * kPanel, round_to_bf16(from + k * kPanel));
        transpose_block(block, kPanel, turned, kPanel);
        for (std::size_t k = 0; k < kPanel; k += 2) {
          const Pairs pairs =
              interleaved(load(turned + k * kPanel), load(turned + (k + 1) * kPanel));
          store(to + k * kPanel, pairs.first);
          store(to + k * kPanel + kDepth, pairs.last);
        }
      }
    }
  }
}

void products(const Tap<Bf16>* taps, std::size_t count, std::size_t positions, std::size_t inputs,
              std::size_t outputs, Bf16* out) {
  const Tiles tiles;
  alignas(64) float sums[kPanel * kPanel];
  for (std::size_t panel = 0; panel < outputs; panel += kPanel) {
    for (std::size_t p = 0; p < positions; p += kPanel) {
      clear_sums();
      for (std::size_t t = 0; t < count; ++t) {
        const Bf16* a = taps[t].rows + p * inputs;
        const Bf16* b = static_cast<const Bf16*>(taps[t].weights) + panel * inputs;
        for (std::size_t i = 0; i < inputs; i += kDepth) multiply(a + i, inputs, b + i * kPanel);
      }
      store_sums(sums);
      for (std::size_t k = 0; k < kPanel; ++k)
        store(out + (p + k) * outputs + panel, round_to_bf16(sums + k * kPanel));
    }
  }
}

void add_outer_products(const GradientTap<Bf16>* taps, std::size_t count, std::size_t positions,
                        std::size_t inputs, std::size_t outputs, const Bf16* errors, float scale,
                        AlignedFloats& scratch) {
  // Taps with the same input are adjacent; the input of such a group is transposed once per block.
  std::ptrdiff_t low = taps[0].shift;
  std::ptrdiff_t high = taps[0].shift;
  for (std::size_t t = 1; t < count; ++t) {
    low = taps[t].shift < low ? taps[t].shift : low;
    high = taps[t].shift > high ? taps[t].shift : high;
  }
  const std::size_t reach = kBlock + static_cast<std::size_t>(high - low);
  // kDepth longer than needed, to avoid a power of two.
  const std::size_t length = (reach + kDepth - 1) / kDepth * kDepth + kDepth;
  const std::size_t size = (inputs * length + outputs * kBlock) / 2;
  if (scratch.size() < size) scratch = AlignedFloats(size);
  Bf16* const paired = reinterpret_cast<Bf16*>(scratch.data());
  Bf16* const turned = paired + outputs * kBlock;

  const Tiles tiles;
  alignas(64) float sums[kPanel * kPanel];
  const __m512 factor = _mm512_set1_ps(scale);
  for (std::size_t first = 0; first < positions; first += kBlock) {
    const std::size_t rows = positions - first < kBlock ? positions - first : kBlock;
    const std::size_t depth = (rows + kDepth - 1) / kDepth * kDepth;
    pair_rows(errors + first * outputs, rows, outputs, paired);
    for (std::size_t group = 0, end = 0; group < count; group = end) {
      const Bf16* in = taps[group].in;
      while (end < count && taps[end].in == in) ++end;
      const std::ptrdiff_t start = static_cast<std::ptrdiff_t>(first) + low;
      const Bf16* from = in + start * static_cast<std::ptrdiff_t>(inputs);
      const std::size_t needed = depth + static_cast<std::size_t>(high - low);
      for (std::size_t p = 0; p < needed; p += kDepth) {
        for (std::size_t i = 0; i < inputs; i += kPanel)
          transpose_block(from + p * inputs + i, inputs, turned + i * length + p, length);
      }
      __asm__ volatile("" ::: "memory");
      for (std::size_t panel = 0; panel < outputs; panel += kPanel) {
        for (std::size_t i = 0; i < inputs; i += kPanel) {
          for (std::size_t t = group; t < end; ++t) {
            const Bf16* a = turned + i * length + static_cast<std::size_t>(taps[t].shift - low);
            const Bf16* b = paired + panel * kBlock;
            clear_sums();
            for (std::size_t p = 0; p < depth; p += kDepth) multiply(a + p, length, b + p * kPanel);
            store_sums(sums);
            float* to = taps[t].weights + panel * inputs + i * kPanel;
            for (std::size_t k = 0; k < kPanel * kPanel; k += kRows) {
              const __m512 sum = _mm512_load_ps(sums + k);
              _mm512_storeu_ps(to + k, _mm512_fmadd_ps(factor, sum, _mm512_loadu_ps(to + k)));
            }
          }
        }
      }
    }
  }
}

#pragma GCC pop_options

}  // namespace gps::amx

#else

namespace gps::amx {

bool available() { return false; }
void pack(const float*, const WeightShape&, Bf16*) { assert(false); }
void pack_transposed(const float*, const WeightShape&, Bf16*) { assert(false); }
void products(const Tap<Bf16>*, std::size_t, std::size_t, std::size_t, std::size_t, Bf16*) {
  assert(false);
}
void add_outer_products(const GradientTap<Bf16>*, std::size_t, std::size_t, std::size_t,
                        std::size_t, const Bf16*, float, AlignedFloats&) {
  assert(false);
}

}  // namespace gps::amx

#endif
