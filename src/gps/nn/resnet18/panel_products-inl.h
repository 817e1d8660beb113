// Matrix products of panels, for each instruction set: the inner loops of all convolutions of
// ResNet18. Kernels include this file after highway.h and outside all namespaces.
//
// A cell is a float, or a pair of bf16 that one instruction (vdpbf16ps) multiplies with another
// pair and adds. Pairs exist where GPS_HAS_BF16_PAIRS is 1; may_use_bf16_pairs() says whether this
// CPU has the instruction.
#if defined(GPS_NN_PANEL_PRODUCTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GPS_NN_PANEL_PRODUCTS_INL_H_
#undef GPS_NN_PANEL_PRODUCTS_INL_H_
#else
#define GPS_NN_PANEL_PRODUCTS_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>

#include "gps/nn/resnet18/bfloat16-inl.h"
#include "gps/nn/resnet18/shifted_products.h"

#undef GPS_HAS_BF16_PAIRS
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define GPS_HAS_BF16_PAIRS 1
#else
#define GPS_HAS_BF16_PAIRS 0
#endif

HWY_BEFORE_NAMESPACE();
namespace gps::kernels::HWY_NAMESPACE {

// Registers hold the sums of kRows x kVectors vectors of products: 24 of 32, or 12 of 16.
constexpr std::size_t kVectors = 2;
constexpr std::size_t kColumns = kVectors * kLanes;
constexpr std::size_t kRows = HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM ? 12 : 6;
static_assert(kPanel % kColumns == 0 && kRows % 3 == 0);

HWY_INLINE V factor_of(float value) { return hn::Set(kFloats, value); }
HWY_INLINE V multiply_add(float /*type*/, V a, V b, V sum) { return hn::MulAdd(a, b, sum); }

#if GPS_HAS_BF16_PAIRS
HWY_INLINE V load(const Bf16Pair* from) {
  return hn::LoadU(kFloats, reinterpret_cast<const float*>(from));
}
HWY_INLINE V factor_of(Bf16Pair value) {
  const hn::RebindToUnsigned<D> words;
  return hn::BitCast(kFloats, hn::Set(words, static_cast<std::uint32_t>(value)));
}
// The instruction is written out because the target of this file does not include it.
HWY_INLINE V multiply_add(Bf16Pair /*type*/, V a, V b, V sum) {
  __asm__("vdpbf16ps %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
  return sum;
}
// Rounds to the nearest, ties to even.
HWY_INLINE void store_rounded(V value, Bf16* to) {
  __m256i halves;
  __asm__("vcvtneps2bf16 %1, %0" : "=v"(halves) : "v"(value.raw));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), halves);
}
// Stores the pairs (first, second) of all lanes.
HWY_INLINE void store_pairs(V first, V second, Bf16Pair* to) {
  __m512i halves;
  __asm__("vcvtne2ps2bf16 %2, %1, %0" : "=v"(halves) : "v"(second.raw), "v"(first.raw));
  alignas(64) static constexpr std::uint16_t kOrder[32] = {
      0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
      8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  _mm512_storeu_si512(to, _mm512_permutexvar_epi16(_mm512_load_si512(kOrder), halves));
}
#endif

// Stores values as cells of a row.
HWY_INLINE void store_values(V value, float* to) { store(value, to); }
#if GPS_HAS_BF16_PAIRS
HWY_INLINE void store_values(V value, Bf16Pair* to) {
  store_rounded(value, reinterpret_cast<Bf16*>(to));
}
#endif

template <std::size_t kCount, std::size_t kWidth = kVectors>
struct Sums {
  V v[kCount][kWidth];

  HWY_INLINE void clear() {
    for (auto& row : v)
      for (V& sum : row) sum = hn::Zero(kFloats);
  }

  // v[r] += Σ_k a[r · a_row + k · a_step] · b[k · b_step …]
  template <typename Cell>
  HWY_INLINE void add(const Cell* HWY_RESTRICT a, std::size_t a_row, std::size_t a_step,
                      const Cell* HWY_RESTRICT b, std::size_t b_step, std::size_t depth) {
    for (std::size_t k = 0; k < depth; ++k) {
      V columns[kWidth];
      for (std::size_t c = 0; c < kWidth; ++c) columns[c] = load(b + k * b_step + c * kLanes);
      for (std::size_t r = 0; r < kCount; ++r) {
        const V factor = factor_of(a[r * a_row + k * a_step]);
        for (std::size_t c = 0; c < kWidth; ++c)
          v[r][c] = multiply_add(Cell(), factor, columns[c], v[r][c]);
      }
    }
  }
};

// Calls use.template operator()<count>(first) for blocks of rows that cover [0, rows): kRows, and
// for the last ones two thirds or one third of that. They may reach beyond `rows`, but not beyond
// the next multiple of kRows / 3.
template <typename Use>
HWY_INLINE void for_row_blocks(std::size_t rows, const Use& use) {
  std::size_t r = 0;
  for (; r + kRows <= rows; r += kRows) use.template operator()<kRows>(r);
  if (r >= rows) return;
  const std::size_t rest = rows - r;
  if (rest <= kRows / 3) {
    use.template operator()<kRows / 3>(r);
  } else if (rest <= kRows / 3 * 2) {
    use.template operator()<kRows / 3 * 2>(r);
  } else {
    use.template operator()<kRows>(r);
  }
}

// A row of a panel has kPanel values. Pairs in a row are neighbours, and in a column come from two
// rows.
template <typename Cell>
constexpr std::size_t kValues = std::is_same_v<Cell, Bf16Pair> ? 2 : 1;  // in a cell
template <typename Cell>
constexpr std::size_t kCells = kPanel / kValues<Cell>;  // in a row

// sums[r][kPanel] = Σ_k Σ_i rows_k[r][i] · kernels_k[i][…] over `used` channels i, for rows in
// panels that lie `panel_cells` apart, and for kWidth vectors of columns.
template <std::size_t kWidth, typename Cell>
void multiply(const Cell* rows, std::size_t panel_cells, std::size_t count,
              std::span<const Cell* const> kernels, std::size_t used, std::size_t column,
              float* sums) {
  for_row_blocks(count, [&]<std::size_t kCount>(std::size_t r) HWY_ATTR {
    Sums<kCount, kWidth> block;
    block.clear();
    const Cell* a = rows + r * kCells<Cell>;
    for (const Cell* kernel : kernels) {
      const Cell* b = kernel + column;
      for (std::size_t done = 0; done < used; done += kPanel) {
        const std::size_t values = std::min(kPanel, used - done);
        const std::size_t depth = (values + kValues<Cell> - 1) / kValues<Cell>;
        block.add(a, kCells<Cell>, 1, b, kPanel, depth);
        a += panel_cells;
        b += kCells<Cell> * kPanel;
      }
    }
    for (std::size_t k = 0; k < kCount; ++k) {
      for (std::size_t v = 0; v < kWidth; ++v)
        store(block.v[k][v], sums + (r + k) * kPanel + column + v * kLanes);
    }
  });
}

// to[i][kPanel] = the sum Σ_k a[k][i] · b[k][…] over `depth` cells, combined with what is there,
// for the first `used` channels i of a panel and kWidth vectors of columns.
template <std::size_t kWidth, typename Cell, typename Combine>
void multiply_columns(const Cell* a, std::size_t used, const Cell* b, std::size_t depth,
                      std::size_t column, const Combine& combine, float* to) {
  for_row_blocks(std::min(used, kPanel), [&]<std::size_t kCount>(std::size_t i) HWY_ATTR {
    Sums<kCount, kWidth> block;
    block.clear();
    block.add(a + i, 1, kPanel, b + column, kPanel, depth);
    for (std::size_t k = 0; k < kCount; ++k) {
      for (std::size_t v = 0; v < kWidth; ++v) {
        float* at = to + (i + k) * kPanel + column + v * kLanes;
        store(combine(block.v[k][v], load(at)), at);
      }
    }
  });
}

// Calls part.template operator()<vectors>(first column) for parts of a panel that cover its first
// `used` columns.
template <typename Part>
HWY_INLINE void for_columns(std::size_t used, const Part& part) {
  std::size_t column = 0;
  for (; column + kLanes < std::min(used, kPanel); column += kColumns)
    part.template operator()<kVectors>(column);
  if (column < std::min(used, kPanel)) part.template operator()<1>(column);
}

// Transposes a block of kPanel x kPanel values.
HWY_INLINE void transpose(const float* HWY_RESTRICT from, float* HWY_RESTRICT to) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t r = 0; r < kPanel; ++r)
    for (std::size_t c = 0; c < kPanel; ++c) to[c * kPanel + r] = from[r * kPanel + c];
#else
  const hn::FixedTag<float, 4> four;
  const hn::FixedTag<double, 2> two;
  for (std::size_t r = 0; r < kPanel; r += 4) {
    for (std::size_t c = 0; c < kPanel; c += 4) {
      const float* block = from + r * kPanel + c;
      const auto a = hn::LoadU(four, block);
      const auto b = hn::LoadU(four, block + kPanel);
      const auto d = hn::LoadU(four, block + 2 * kPanel);
      const auto e = hn::LoadU(four, block + 3 * kPanel);
      const auto ab = hn::BitCast(two, hn::InterleaveLower(four, a, b));
      const auto de = hn::BitCast(two, hn::InterleaveLower(four, d, e));
      const auto ab2 = hn::BitCast(two, hn::InterleaveUpper(four, a, b));
      const auto de2 = hn::BitCast(two, hn::InterleaveUpper(four, d, e));
      float* turned = to + c * kPanel + r;
      hn::StoreU(hn::BitCast(four, hn::InterleaveLower(two, ab, de)), four, turned);
      hn::StoreU(hn::BitCast(four, hn::InterleaveUpper(two, ab, de)), four, turned + kPanel);
      hn::StoreU(hn::BitCast(four, hn::InterleaveLower(two, ab2, de2)), four, turned + 2 * kPanel);
      hn::StoreU(hn::BitCast(four, hn::InterleaveUpper(two, ab2, de2)), four, turned + 3 * kPanel);
    }
  }
#endif
}

// Cuts scratch memory into parts of so many 32-bit cells.
class Parts {
 public:
  Parts(AlignedFloats& scratch, std::size_t size) {
    if (scratch.size() < size) scratch = AlignedFloats(size);
    next_ = scratch.data();
  }
  template <typename Cell>
  Cell* take(std::size_t cells) {
    Cell* const part = reinterpret_cast<Cell*>(next_);
    next_ += cells;
    return part;
  }

 private:
  float* next_;
};

}  // namespace gps::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
