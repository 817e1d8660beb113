#include "gps/nn/resnet18/pixel_kernels.h"

#include <algorithm>
#include <vector>

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gps/nn/resnet18/pixel_kernels.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
#include <hwy/highway.h>

#include "gps/nn/resnet18/bfloat16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gps::kernels::HWY_NAMESPACE {

constexpr std::size_t kVectors = kPanel / kLanes;

// The values of one panel of channels.
struct Panel {
  V v[kVectors];

  template <typename T>
  static HWY_INLINE Panel of(const T* from) {
    Panel panel;
    for (std::size_t k = 0; k < kVectors; ++k) panel.v[k] = load(from + k * kLanes);
    return panel;
  }
  static HWY_INLINE Panel zero() {
    Panel panel;
    for (V& value : panel.v) value = hn::Zero(kFloats);
    return panel;
  }
  template <typename T>
  HWY_INLINE void store_to(T* to) const {
    for (std::size_t k = 0; k < kVectors; ++k) store(v[k], to + k * kLanes);
  }
};

// Calls pixel(offset of its values) for the pixels of one image, for one panel of channels.
template <typename Pixel>
HWY_INLINE void for_each_pixel(const PixelRows& pixels, std::size_t image, std::size_t panel,
                               const Pixel& pixel) {
  for (std::size_t y = 0; y < pixels.grid.height; ++y) {
    std::size_t at = pixels.grid.position(image, y, 0) * pixels.channels + panel;
    for (std::size_t x = 0; x < pixels.grid.width; ++x, at += pixels.channels) pixel(at);
  }
}

// Calls body(panel) for each panel of channels, and then the function that it returns for each
// pixel.
template <typename Body>
HWY_INLINE void for_each_panel(const PixelRows& pixels, const Body& body) {
  for (std::size_t panel = 0; panel < pixels.channels; panel += kPanel) {
    const auto pixel = body(panel);
    for (std::size_t image = 0; image < pixels.images; ++image)
      for_each_pixel(pixels, image, panel, pixel);
  }
}

// Two sums per channel: in float within an image, in double over the images.
struct PanelSums {
  double first[kPanel] = {};
  double second[kPanel] = {};

  HWY_INLINE void add(const Panel& a, const Panel& b) {
    HWY_ALIGN float values[2 * kPanel];
    a.store_to(values);
    b.store_to(values + kPanel);
    for (std::size_t k = 0; k < kPanel; ++k) {
      first[k] += static_cast<double>(values[k]);
      second[k] += static_cast<double>(values[kPanel + k]);
    }
  }
};

template <typename T>
void statistics_of(const PixelRows& pixels, const T* values, float* mean, float* variance) {
  const auto count = static_cast<double>(pixels.count());
  for (std::size_t panel = 0; panel < pixels.channels; panel += kPanel) {
    const Panel pivot =
        Panel::of(values + panel);  // subtracting any of the values reduces cancellation
    PanelSums sums;
    for (std::size_t image = 0; image < pixels.images; ++image) {
      Panel sum = Panel::zero();
      Panel squares = Panel::zero();
      for_each_pixel(pixels, image, panel, [&](std::size_t at) HWY_ATTR {
        const Panel now = Panel::of(values + at);
        for (std::size_t k = 0; k < kVectors; ++k) {
          const V difference = hn::Sub(now.v[k], pivot.v[k]);
          sum.v[k] = hn::Add(sum.v[k], difference);
          squares.v[k] = hn::MulAdd(difference, difference, squares.v[k]);
        }
      });
      sums.add(sum, squares);
    }
    for (std::size_t k = 0; k < kPanel; ++k) {
      const double shifted = sums.first[k] / count;
      mean[panel + k] =
          static_cast<float>(shifted + static_cast<double>(to_float(values[panel + k])));
      variance[panel + k] =
          static_cast<float>(std::max(0.0, sums.second[k] / count - shifted * shifted));
    }
  }
}

template <typename T>
void rectified_sum_of(const PixelRows& pixels, const Branch<T>& a, const Branch<T>& b, T* out) {
  const V zero = hn::Zero(kFloats);
  if (b.values == nullptr) {
    return for_each_panel(pixels, [&](std::size_t panel) HWY_ATTR {
      return [&, scale = Panel::of(a.scale + panel),
              shift = Panel::of(a.shift + panel)](std::size_t at) HWY_ATTR {
        Panel now = Panel::of(a.values + at);
        for (std::size_t k = 0; k < kVectors; ++k)
          now.v[k] = hn::Max(zero, hn::MulAdd(now.v[k], scale.v[k], shift.v[k]));
        now.store_to(out + at);
      };
    });
  }
  for_each_panel(pixels, [&](std::size_t panel) HWY_ATTR {
    Panel shift = Panel::of(a.shift + panel);
    const Panel other = Panel::of(b.shift + panel);
    for (std::size_t k = 0; k < kVectors; ++k) shift.v[k] = hn::Add(shift.v[k], other.v[k]);
    return [&, shift, a_scale = Panel::of(a.scale + panel),
            b_scale = Panel::of(b.scale + panel)](std::size_t at) HWY_ATTR {
      Panel now = Panel::of(a.values + at);
      const Panel more = Panel::of(b.values + at);
      for (std::size_t k = 0; k < kVectors; ++k) {
        const V sum = hn::MulAdd(more.v[k], b_scale.v[k], shift.v[k]);
        now.v[k] = hn::Max(zero, hn::MulAdd(now.v[k], a_scale.v[k], sum));
      }
      now.store_to(out + at);
    };
  });
}

template <bool kHasMore, bool kHasOutputs, typename T>
void gradient_sums_if(const PixelRows& pixels, const T* more, const T* outputs, T* errors,
                      const T* values, const float* mean, float* sum, float* centred_sum) {
  const V zero = hn::Zero(kFloats);
  for (std::size_t panel = 0; panel < pixels.channels; panel += kPanel) {
    const Panel centre = Panel::of(mean + panel);
    PanelSums sums;
    for (std::size_t image = 0; image < pixels.images; ++image) {
      Panel plain = Panel::zero();
      Panel centred = Panel::zero();
      for_each_pixel(pixels, image, panel, [&](std::size_t at) HWY_ATTR {
        Panel error = Panel::of(errors + at);
        const Panel value = Panel::of(values + at);
        if constexpr (kHasMore) {
          const Panel other = Panel::of(more + at);
          for (std::size_t k = 0; k < kVectors; ++k) error.v[k] = hn::Add(error.v[k], other.v[k]);
        }
        if constexpr (kHasOutputs) {
          const Panel output = Panel::of(outputs + at);
          for (std::size_t k = 0; k < kVectors; ++k)
            error.v[k] = hn::IfThenElseZero(hn::Gt(output.v[k], zero), error.v[k]);
        }
        if constexpr (kHasMore || kHasOutputs) error.store_to(errors + at);
        for (std::size_t k = 0; k < kVectors; ++k) {
          plain.v[k] = hn::Add(plain.v[k], error.v[k]);
          centred.v[k] = hn::MulAdd(error.v[k], hn::Sub(value.v[k], centre.v[k]), centred.v[k]);
        }
      });
      sums.add(plain, centred);
    }
    for (std::size_t k = 0; k < kPanel; ++k) {
      sum[panel + k] = static_cast<float>(sums.first[k]);
      centred_sum[panel + k] = static_cast<float>(sums.second[k]);
    }
  }
}

template <typename T>
void gradient_sums_of(const PixelRows& pixels, const T* more, const T* outputs, T* errors,
                      const T* values, const float* mean, float* sum, float* centred_sum) {
  const auto sums = outputs == nullptr ? gradient_sums_if<false, false, T>
                    : more == nullptr  ? gradient_sums_if<false, true, T>
                                       : gradient_sums_if<true, true, T>;
  sums(pixels, more, outputs, errors, values, mean, sum, centred_sum);
}

template <typename T>
void combine_of(const PixelRows& pixels, const T* errors, const T* values, const float* a,
                const float* b, const float* c, T* out) {
  for_each_panel(pixels, [&](std::size_t panel) HWY_ATTR {
    return [&, error_factor = Panel::of(a + panel), value_factor = Panel::of(b + panel),
            shift = Panel::of(c + panel)](std::size_t at) HWY_ATTR {
      Panel now = Panel::of(errors + at);
      const Panel value = Panel::of(values + at);
      for (std::size_t k = 0; k < kVectors; ++k) {
        const V rest = hn::MulAdd(value.v[k], value_factor.v[k], shift.v[k]);
        now.v[k] = hn::MulAdd(now.v[k], error_factor.v[k], rest);
      }
      now.store_to(out + at);
    };
  });
}

template <typename T>
void average_of(const PixelRows& pixels, const T* values, float* out) {
  const auto area = static_cast<float>(pixels.grid.height * pixels.grid.width);
  const V factor = hn::Set(kFloats, 1 / area);
  for (std::size_t image = 0; image < pixels.images; ++image) {
    for (std::size_t panel = 0; panel < pixels.channels; panel += kPanel) {
      Panel sum = Panel::zero();
      for_each_pixel(pixels, image, panel, [&](std::size_t at) HWY_ATTR {
        const Panel now = Panel::of(values + at);
        for (std::size_t k = 0; k < kVectors; ++k) sum.v[k] = hn::Add(sum.v[k], now.v[k]);
      });
      for (V& value : sum.v) value = hn::Mul(value, factor);
      sum.store_to(out + image * pixels.channels + panel);
    }
  }
}

template <typename T>
void spread_of(const PixelRows& pixels, const float* errors, float factor, T* values) {
  const V factors = hn::Set(kFloats, factor);
  for (std::size_t image = 0; image < pixels.images; ++image) {
    for (std::size_t panel = 0; panel < pixels.channels; panel += kPanel) {
      Panel error = Panel::of(errors + image * pixels.channels + panel);
      for (V& value : error.v) value = hn::Mul(value, factors);
      for_each_pixel(pixels, image, panel,
                     [&](std::size_t at) HWY_ATTR { error.store_to(values + at); });
    }
  }
}

// Highway exports functions, not templates, so there is one table of functions for each type.
template <typename T>
constexpr PixelFunctions<T> table() {
  return {statistics_of<T>, rectified_sum_of<T>, gradient_sums_of<T>,
          combine_of<T>,    average_of<T>,       spread_of<T>};
}
const PixelFunctions<float>& floats() {
  static constexpr PixelFunctions<float> functions = table<float>();
  return functions;
}
const PixelFunctions<Bf16>& bf16() {
  static constexpr PixelFunctions<Bf16> functions = table<Bf16>();
  return functions;
}

}  // namespace gps::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gps::kernels {

HWY_EXPORT(floats);
HWY_EXPORT(bf16);

template <>
const PixelFunctions<float>& pixel_functions() {
  return HWY_DYNAMIC_DISPATCH(floats)();
}
template <>
const PixelFunctions<Bf16>& pixel_functions() {
  return HWY_DYNAMIC_DISPATCH(bf16)();
}

}  // namespace gps::kernels
#endif
