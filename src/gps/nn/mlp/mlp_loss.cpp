// From logits to a loss and its errors.
#include "gps/nn/mlp/fused_mlp_kernels.h"

#include <algorithm>
#include <cmath>

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gps/nn/mlp/mlp_loss.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
#include <hwy/highway.h>

#include <hwy/contrib/math/math-inl.h>

#include "gps/nn/mlp/mlp_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gps::kernels::HWY_NAMESPACE {

// exp(logits - shift). What is not real may be no number at all, and is taken as 0.
template <class Mask>
HWY_INLINE V exponentials(const float* HWY_RESTRICT logits, V shift, Mask real) {
  return hn::Exp(kFloats, hn::IfThenElseZero(real, hn::Sub(hn::Load(kFloats, logits), shift)));
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
    total = hn::Add(total, hn::IfThenElseZero(real, exponentials(logits + c, shift, real)));
  }
  const float sum = hn::GetLane(hn::SumOfLanes(kFloats, total));
  const V scale = hn::Set(kFloats, weight / sum);
  for (std::size_t c = 0; c < stride; c += kLanes) {
    if (c >= classes) break;
    const auto real = hn::FirstN(kFloats, classes - c);
    const V error =
        hn::MulAdd(exponentials(logits + c, shift, real), scale, hn::Load(kFloats, errors + c));
    hn::Store(hn::IfThenElse(real, error, hn::Load(kFloats, errors + c)), kFloats, errors + c);
  }
  errors[label] -= weight;
  return std::log(sum) - (logits[label] - largest);
}

}  // namespace gps::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gps::kernels {

HWY_EXPORT(cross_entropy);

float cross_entropy(const float* logits, std::size_t classes, std::size_t stride, std::size_t label,
                    float weight, float* errors) {
  return HWY_DYNAMIC_DISPATCH(cross_entropy)(logits, classes, stride, label, weight, errors);
}

}  // namespace gps::kernels
#endif
