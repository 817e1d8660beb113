// Sums of outer products that stay in registers, for each instruction set: the inner loop of every
// matrix product of ResNet18. Kernels include this file after highway.h and outside all namespaces.
//
// A factor is a float, a Bf16, or a Bf16Pair: two bf16 that are multiplied with two others and
// summed by one instruction (vdpbf16ps). Pairs exist where GPS_HAS_BF16_PAIRS is 1: this file's
// target can then run on a CPU with avx512_bf16, which may_use_bf16_pairs() must find out.
#if defined(GPS_NN_REGISTER_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GPS_NN_REGISTER_SUMS_INL_H_
#undef GPS_NN_REGISTER_SUMS_INL_H_
#else
#define GPS_NN_REGISTER_SUMS_INL_H_
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstdint>

#include "gps/nn/resnet18/bfloat16-inl.h"

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
HWY_INLINE V factor_of(Bf16 value) { return hn::Set(kFloats, to_float(value)); }
HWY_INLINE V multiply_add(float /*type*/, V a, V b, V sum) { return hn::MulAdd(a, b, sum); }
HWY_INLINE V multiply_add(Bf16 /*type*/, V a, V b, V sum) { return hn::MulAdd(a, b, sum); }

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

template <std::size_t kCount, std::size_t kWidth = kVectors>
struct Sums {
  V v[kCount][kWidth];

  HWY_INLINE void clear() {
    for (auto& row : v)
      for (V& sum : row) sum = hn::Zero(kFloats);
  }

  // v[r] += Σ_k a[r · a_row + k · a_step] · b[k · b_step …]
  template <typename A, typename B>
  HWY_INLINE void add(const A* HWY_RESTRICT a, std::size_t a_row, std::size_t a_step,
                      const B* HWY_RESTRICT b, std::size_t b_step, std::size_t depth) {
    for (std::size_t k = 0; k < depth; ++k) {
      V columns[kWidth];
      for (std::size_t c = 0; c < kWidth; ++c) columns[c] = load(b + k * b_step + c * kLanes);
      for (std::size_t r = 0; r < kCount; ++r) {
        const V factor = factor_of(a[r * a_row + k * a_step]);
        for (std::size_t c = 0; c < kWidth; ++c)
          v[r][c] = multiply_add(A(), factor, columns[c], v[r][c]);
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

}  // namespace gps::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
