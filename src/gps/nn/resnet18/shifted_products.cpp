#include "gps/nn/resnet18/shifted_products.h"

#include <algorithm>
#include <array>

#include "gps/nn/resnet18/amx_products.h"

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gps/nn/resnet18/shifted_products.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
#include <hwy/highway.h>

#include "gps/nn/resnet18/register_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gps::kernels::HWY_NAMESPACE {

template <typename T>
void products(const Tap<T>* taps, std::size_t count, std::size_t positions, std::size_t inputs,
              std::size_t outputs, T* HWY_RESTRICT out) {
  for (std::size_t column = 0; column < outputs; column += kColumns) {
    const std::size_t at = column / kPanel * kPanel * inputs + column % kPanel;
    for (std::size_t p = 0; p < positions; p += kRows) {
      Sums<kRows> sums;
      sums.clear();
      for (std::size_t t = 0; t < count; ++t)
        sums.add(taps[t].rows + p * inputs, inputs, 1,
                 static_cast<const float*>(taps[t].weights) + at, kPanel, inputs);
      for (std::size_t r = 0; r < kRows; ++r) {
        for (std::size_t v = 0; v < kVectors; ++v)
          store(sums.v[r][v], out + (p + r) * outputs + column + v * kLanes);
      }
    }
  }
}

template <std::size_t kCount, typename T>
HWY_INLINE void add_block(const T* in, const T* errors, std::size_t rows, std::size_t inputs,
                          std::size_t outputs, V scale, float* HWY_RESTRICT weights) {
  Sums<kCount> sums;
  sums.clear();
  sums.add(in, 1, inputs, errors, outputs, rows);
  for (std::size_t r = 0; r < kCount; ++r) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      float* to = weights + r * kPanel + v * kLanes;
      hn::StoreU(hn::MulAdd(scale, sums.v[r][v], hn::LoadU(kFloats, to)), kFloats, to);
    }
  }
}

template <typename T>
void add_outer_products(const GradientTap<T>* taps, std::size_t count, std::size_t positions,
                        std::size_t inputs, std::size_t outputs, const T* errors, float scale) {
  constexpr std::size_t kBlock = 256;  // positions that are summed before weights are updated
  constexpr std::size_t kRest = kPanel % kRows;
  const V factor = hn::Set(kFloats, scale);
  for (std::size_t first = 0; first < positions; first += kBlock) {
    const std::size_t rows = std::min(kBlock, positions - first);
    for (std::size_t column = 0; column < outputs; column += kColumns) {
      const T* from = errors + first * outputs + column;
      const std::size_t at = column / kPanel * kPanel * inputs + column % kPanel;
      for (std::size_t t = 0; t < count; ++t) {
        const T* in = taps[t].in + (static_cast<std::ptrdiff_t>(first) + taps[t].shift) *
                                       static_cast<std::ptrdiff_t>(inputs);
        float* weights = taps[t].weights + at;
        for (std::size_t panel = 0; panel < inputs; panel += kPanel) {
          std::size_t i = panel;
          for (; i + kRows <= panel + kPanel; i += kRows)
            add_block<kRows>(in + i, from, rows, inputs, outputs, factor, weights + i * kPanel);
          add_block<kRest>(in + i, from, rows, inputs, outputs, factor, weights + i * kPanel);
        }
      }
    }
  }
}

void products_of_floats(const Tap<float>* taps, std::size_t count, std::size_t positions,
                        std::size_t inputs, std::size_t outputs, float* out) {
  products(taps, count, positions, inputs, outputs, out);
}
void products_of_bf16(const Tap<Bf16>* taps, std::size_t count, std::size_t positions,
                      std::size_t inputs, std::size_t outputs, Bf16* out) {
  products(taps, count, positions, inputs, outputs, out);
}
void outer_products_of_floats(const GradientTap<float>* taps, std::size_t count,
                              std::size_t positions, std::size_t inputs, std::size_t outputs,
                              const float* errors, float scale) {
  add_outer_products(taps, count, positions, inputs, outputs, errors, scale);
}
void outer_products_of_bf16(const GradientTap<Bf16>* taps, std::size_t count, std::size_t positions,
                            std::size_t inputs, std::size_t outputs, const Bf16* errors,
                            float scale) {
  add_outer_products(taps, count, positions, inputs, outputs, errors, scale);
}

}  // namespace gps::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gps {
namespace kernels {

HWY_EXPORT(products_of_floats);
HWY_EXPORT(products_of_bf16);
HWY_EXPORT(outer_products_of_floats);
HWY_EXPORT(outer_products_of_bf16);

}  // namespace kernels

namespace {

template <typename T>
bool use_tiles(Products how) {
  return std::is_same_v<T, Bf16> && how == Products::best && amx::available();
}

}  // namespace

template <typename T>
PackedWeights<T>::PackedWeights(WeightShape shape, Products how)
    : shape_(shape),
      has_tiles_(use_tiles<T>(how)),
      data_(has_tiles_ ? shape.size() / 2 : shape.size()) {}

template <typename T>
void PackedWeights<T>::pack(const float* weights) {
  if (has_tiles_) return amx::pack(weights, shape_, reinterpret_cast<Bf16*>(data_.data()));
  for (std::size_t k = 0; k < shape_.size(); ++k) data_[k] = to_float(rounded_to<T>(weights[k]));
}

template <typename T>
void PackedWeights<T>::pack_transposed(const float* weights) {
  if (has_tiles_) {
    return amx::pack_transposed(weights, shape_, reinterpret_cast<Bf16*>(data_.data()));
  }
  for (std::size_t t = 0; t < shape_.taps; ++t) {
    for (std::size_t o = 0; o < shape_.outputs; o += kPanel) {
      for (std::size_t i = 0; i < shape_.inputs; i += kPanel) {
        const std::size_t tap = t * shape_.tap_size();
        const float* from = weights + tap + o * shape_.inputs + i * kPanel;
        float* to = data_.data() + tap + i * shape_.outputs + o * kPanel;
        for (std::size_t a = 0; a < kPanel; ++a) {
          for (std::size_t b = 0; b < kPanel; ++b)
            to[b * kPanel + a] = to_float(rounded_to<T>(from[a * kPanel + b]));
        }
      }
    }
  }
}

template <typename T>
const void* PackedWeights<T>::tap(std::size_t t) const {
  const std::size_t size = has_tiles_ ? shape_.tap_size() / 2 : shape_.tap_size();
  return data_.data() + t * size;
}

template class PackedWeights<float>;
template class PackedWeights<Bf16>;

template <>
void shifted_products(std::span<const Tap<float>> taps, std::size_t positions, std::size_t inputs,
                      std::size_t outputs, float* out, Products /*how*/) {
  using namespace kernels;
  HWY_DYNAMIC_DISPATCH(products_of_floats)
  (taps.data(), taps.size(), positions, inputs, outputs, out);
}

template <>
void shifted_products(std::span<const Tap<Bf16>> taps, std::size_t positions, std::size_t inputs,
                      std::size_t outputs, Bf16* out, Products how) {
  using namespace kernels;
  if (use_tiles<Bf16>(how)) {
    return amx::products(taps.data(), taps.size(), positions, inputs, outputs, out);
  }
  HWY_DYNAMIC_DISPATCH(products_of_bf16)
  (taps.data(), taps.size(), positions, inputs, outputs, out);
}

template <>
void add_shifted_outer_products(std::span<const GradientTap<float>> taps, std::size_t positions,
                                std::size_t inputs, std::size_t outputs, const float* errors,
                                float scale, AlignedFloats& /*scratch*/, Products /*how*/) {
  using namespace kernels;
  HWY_DYNAMIC_DISPATCH(outer_products_of_floats)
  (taps.data(), taps.size(), positions, inputs, outputs, errors, scale);
}

template <>
void add_shifted_outer_products(std::span<const GradientTap<Bf16>> taps, std::size_t positions,
                                std::size_t inputs, std::size_t outputs, const Bf16* errors,
                                float scale, AlignedFloats& scratch, Products how) {
  using namespace kernels;
  if (use_tiles<Bf16>(how)) {
    return amx::add_outer_products(taps.data(), taps.size(), positions, inputs, outputs, errors,
                                   scale, scratch);
  }
  HWY_DYNAMIC_DISPATCH(outer_products_of_bf16)
  (taps.data(), taps.size(), positions, inputs, outputs, errors, scale);
}

}  // namespace gps
#endif
