// Loads and stores floats and Bf16 as vectors of floats, for each instruction set. Kernels include
// this file after highway.h and outside all namespaces.
#if defined(GPS_NN_BFLOAT16_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GPS_NN_BFLOAT16_INL_H_
#undef GPS_NN_BFLOAT16_INL_H_
#else
#define GPS_NN_BFLOAT16_INL_H_
#endif

#include <hwy/highway.h>

#include "gps/nn/aligned_floats.h"
#include "gps/nn/resnet18/bfloat16.h"

HWY_BEFORE_NAMESPACE();
namespace gps::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, kLane>;
using V = hn::Vec<D>;
constexpr D kFloats{};
constexpr std::size_t kLanes = HWY_LANES(float) < kLane ? HWY_LANES(float) : kLane;

HWY_INLINE V load(const float* from) { return hn::LoadU(kFloats, from); }
HWY_INLINE void store(V value, float* to) { hn::StoreU(value, kFloats, to); }

HWY_INLINE V load(const Bf16* from) {
  const hn::RebindToUnsigned<D> words;
  const hn::Rebind<std::uint16_t, D> halves;
  const auto bits = hn::LoadU(halves, reinterpret_cast<const std::uint16_t*>(from));
  return hn::BitCast(kFloats, hn::ShiftLeft<16>(hn::PromoteTo(words, bits)));
}

// Rounds like rounded_to<Bf16>().
HWY_INLINE void store(V value, Bf16* to) {
  const hn::RebindToUnsigned<D> words;
  const hn::Rebind<std::uint16_t, D> halves;
  const auto bits = hn::BitCast(words, value);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1));
  const auto up = hn::Add(bits, hn::Add(odd, hn::Set(words, 0x7fff)));
  hn::StoreU(hn::TruncateTo(halves, hn::ShiftRight<16>(up)), halves,
             reinterpret_cast<std::uint16_t*>(to));
}

}  // namespace gps::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
