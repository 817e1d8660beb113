// Inner products of rows, for gradients as outer products.
#include "gps/nn/mlp/fused_mlp_kernels.h"

#include <algorithm>

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gps/nn/mlp/mlp_gram.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
#include <hwy/highway.h>

#include "gps/nn/mlp/mlp_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gps::kernels::HWY_NAMESPACE {

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

}  // namespace gps::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gps::kernels {

HWY_EXPORT(gram_bytes);
HWY_EXPORT(gram_floats);

void gram_bytes(const std::uint8_t* a, std::size_t a_rows, const std::uint8_t* b,
                std::size_t b_rows, std::size_t inputs, float* out) {
  HWY_DYNAMIC_DISPATCH(gram_bytes)(a, a_rows, b, b_rows, inputs, out);
}
void gram_floats(const float* a, std::size_t a_rows, const float* b, std::size_t b_rows,
                 std::size_t stride, float* out) {
  HWY_DYNAMIC_DISPATCH(gram_floats)(a, a_rows, b, b_rows, stride, out);
}

}  // namespace gps::kernels
#endif
