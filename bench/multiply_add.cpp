#include "bench/multiply_add.h"

#include "gps/nn/mlp/fused_mlp_kernels.h"

// The same setting as in the library's kernels, so that both use the same instruction set.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/multiply_add.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace gps::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, kLane>;
constexpr D kFloats{};

// Enough independent chains to hide the latency of any multiply-add unit, and few enough for 16
// registers.
constexpr std::size_t kChains = 12;

double MultiplyAdd(std::size_t rounds, float factor, float term, float* HWY_RESTRICT sums) {
  const auto a = hn::Set(kFloats, factor);
  const auto b = hn::Set(kFloats, term);
  hn::Vec<D> v[kChains];
  for (std::size_t c = 0; c < kChains; ++c) v[c] = hn::Load(kFloats, sums + c * kLane);
  for (std::size_t r = 0; r < rounds; ++r) {
    for (std::size_t c = 0; c < kChains; ++c) v[c] = hn::MulAdd(v[c], a, b);
  }
  for (std::size_t c = 0; c < kChains; ++c) hn::Store(v[c], kFloats, sums + c * kLane);
  return 2.0 * static_cast<double>(kChains * hn::Lanes(kFloats)) * static_cast<double>(rounds);
}

const char* Target() { return hwy::TargetName(HWY_TARGET); }

}  // namespace gps::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gps::bench {

HWY_EXPORT(MultiplyAdd);
HWY_EXPORT(Target);

double multiply_add(std::size_t rounds) {
  static AlignedFloats sums(16 * kLane);
  // The values stay near 1, so that no subnormal or infinite numbers slow the loop down.
  return HWY_DYNAMIC_DISPATCH(MultiplyAdd)(rounds, 0.5f, 0.5f, sums.data());
}

const char* multiply_add_target() { return HWY_DYNAMIC_DISPATCH(Target)(); }

}  // namespace gps::bench
#endif
