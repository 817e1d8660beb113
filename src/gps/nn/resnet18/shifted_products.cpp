#include "gps/nn/resnet18/shifted_products.h"

#include <algorithm>
#include <array>

#include "gps/core/simd_target.h"
#include "gps/nn/resnet18/amx_products.h"

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gps/nn/resnet18/shifted_products.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
#include <hwy/highway.h>

#include "gps/nn/resnet18/panel_products-inl.h"

#ifndef GPS_NN_SHIFTED_FUNCTIONS_
#define GPS_NN_SHIFTED_FUNCTIONS_
namespace gps::kernels {
template <typename T>
struct ShiftedFunctions {
  void (*products)(const ShiftedShape&, std::span<const Tap<T>>, T*, AlignedFloats&);
  void (*outer_products)(const ShiftedShape&, std::span<const GradientTap<T>>, const T*, float,
                         AlignedFloats&);
  void (*pack)(const float*, const WeightShape&, bool is_transposed, float*);
};
inline constexpr std::size_t kMostTaps = 10;
}  // namespace gps::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace gps::kernels::HWY_NAMESPACE {
namespace {

constexpr std::size_t kMostRows = 48;      // pixels whose inputs are gathered at a time
constexpr std::size_t kMostColumns = 192;  // the same for outer products
static_assert(kMostRows % kRows == 0 && kMostColumns % 2 == 0);

// The positions of consecutive pixels of a batch.
struct PixelBlock {
  std::size_t count;
  std::size_t positions[kMostColumns];

  PixelBlock(const ShiftedShape& shape, std::size_t first, std::size_t most) {
    const ImageGrid& grid = shape.grid;
    const std::size_t area = grid.height * grid.width;
    count = std::min(most, shape.images * area - first);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t pixel = (first + k) % area;
      positions[k] = grid.position((first + k) / area, pixel / grid.width, pixel % grid.width);
    }
  }
};

// Copies the inputs of pixels as left factors: [panel][pixel][kPanel].
template <typename Cell, typename T>
void gather_rows(const PixelBlock& pixels, const T* values, std::size_t channels, Cell* to) {
  for (std::size_t panel = 0; panel < channels; panel += kPanel) {
    for (std::size_t k = 0; k < pixels.count; ++k) {
      const T* from = values + pixels.positions[k] * channels + panel;
      Cell* row = to + (panel * kMostRows + k * kPanel) / kValues<Cell>;
      if constexpr (std::is_same_v<Cell, float>) {
        for (std::size_t c = 0; c < kPanel; c += kLanes) store(load(from + c), row + c);
      } else {
        store(load(reinterpret_cast<const Cell*>(from)), reinterpret_cast<float*>(row));
      }
    }
  }
}

// Copies them as factors that are summed over pixels: floats [panel][pixel][kPanel], or pairs of
// pixels [panel][pixel / 2][kPanel]. Returns the number of cells to sum.
template <typename Cell, typename T>
std::size_t gather_columns(const PixelBlock& pixels, const T* values, std::size_t channels,
                           Cell* to) {
  constexpr std::size_t kStep = kValues<Cell>;
  for (std::size_t panel = 0; panel < channels; panel += kPanel) {
    Cell* column = to + panel * (kMostColumns / kStep);
    for (std::size_t k = 0; k < pixels.count; k += kStep, column += kPanel) {
      const T* first = values + pixels.positions[k] * channels + panel;
      for (std::size_t c = 0; c < kPanel; c += kLanes) {
        if constexpr (std::is_same_v<Cell, float>) {
          store(load(first + c), column + c);
        } else {
          const bool is_whole = k + 1 < pixels.count;
          const T* second = is_whole ? values + pixels.positions[k + 1] * channels + panel : first;
          store_pairs(load(first + c), is_whole ? load(second + c) : hn::Zero(kFloats), column + c);
        }
      }
    }
  }
  return (pixels.count + kStep - 1) / kStep;
}

// Writes sums [pixel][kPanel] of one panel.
template <typename T>
void write_outputs(const PixelBlock& pixels, const float* sums, std::size_t used,
                   std::size_t channels, T* out) {
  for (std::size_t k = 0; k < pixels.count; ++k) {
    for (std::size_t c = 0; c < std::min(used, kPanel); c += kLanes)
      store(load(sums + k * kPanel + c), out + pixels.positions[k] * channels + c);
  }
}

template <typename Cell, typename T>
void products(const ShiftedShape& shape, std::span<const Tap<T>> taps, T* out,
              AlignedFloats& scratch) {
  const std::size_t tap_cells = shape.inputs * kMostRows / kValues<Cell>;
  Parts parts(scratch, taps.size() * tap_cells + kMostRows * kPanel);
  Cell* const rows = parts.take<Cell>(taps.size() * tap_cells);
  float* const sums = parts.take<float>(kMostRows * kPanel);
  const std::size_t end = shape.images * shape.grid.height * shape.grid.width;
  for (std::size_t first = 0; first < end; first += kMostRows) {
    const PixelBlock pixels(shape, first, kMostRows);
    for (std::size_t t = 0; t < taps.size(); ++t)
      gather_rows(pixels, taps[t].rows, shape.inputs, rows + t * tap_cells);
    for (std::size_t panel = 0; panel < shape.used_outputs; panel += kPanel) {
      const Cell* kernels[kMostTaps];
      for (std::size_t t = 0; t < taps.size(); ++t) {
        kernels[t] =
            static_cast<const Cell*>(taps[t].weights) + panel * (shape.inputs / kValues<Cell>);
      }
      for_columns(shape.used_outputs - panel, [&]<std::size_t kWidth>(std::size_t column) HWY_ATTR {
        multiply<kWidth, Cell>(rows, kMostRows * kCells<Cell>, pixels.count, {kernels, taps.size()},
                               shape.used_inputs, column, sums);
      });
      write_outputs(pixels, sums, shape.used_outputs - panel, shape.outputs, out + panel);
    }
  }
}

template <typename Cell, typename T>
void outer_products(const ShiftedShape& shape, std::span<const GradientTap<T>> taps,
                    const T* errors, float scale, AlignedFloats& scratch) {
  constexpr std::size_t kPanelCells = kMostColumns / kValues<Cell> * kPanel;
  Parts parts(scratch, (shape.inputs + shape.outputs) / kPanel * kPanelCells);
  Cell* const left = parts.take<Cell>(shape.inputs / kPanel * kPanelCells);
  Cell* const right = parts.take<Cell>(shape.outputs / kPanel * kPanelCells);
  const V factor = hn::Set(kFloats, scale);
  const auto add_scaled = [&](V sum, V before) HWY_ATTR { return hn::MulAdd(factor, sum, before); };
  const std::size_t end = shape.images * shape.grid.height * shape.grid.width;
  for (std::size_t first = 0; first < end; first += kMostColumns) {
    const PixelBlock pixels(shape, first, kMostColumns);
    const std::size_t depth = gather_columns(pixels, errors, shape.outputs, right);
    for (const GradientTap<T>& tap : taps) {
      const T* in = tap.in + tap.shift * static_cast<std::ptrdiff_t>(shape.inputs);
      gather_columns(pixels, in, shape.inputs, left);
      for (std::size_t o = 0; o < shape.used_outputs; o += kPanel) {
        for (std::size_t i = 0; i < shape.used_inputs; i += kPanel) {
          for_columns(shape.used_outputs - o, [&]<std::size_t kWidth>(std::size_t column) HWY_ATTR {
            multiply_columns<kWidth>(left + i / kPanel * kPanelCells, shape.used_inputs - i,
                                     right + o / kPanel * kPanelCells, depth, column, add_scaled,
                                     tap.weights + o * shape.inputs + i * kPanel);
          });
        }
      }
    }
  }
}

// Writes a block of kPanel x kPanel weights as right factors.
template <typename Cell, typename T>
HWY_INLINE void pack_block(const float* from, float* to) {
  for (std::size_t i = 0; i < kPanel; i += kValues<Cell>) {
    for (std::size_t c = 0; c < kPanel; c += kLanes) {
      const float* at = from + i * kPanel + c;
      float* cells = to + i / kValues<Cell> * kPanel + c;
      if constexpr (std::is_same_v<Cell, Bf16Pair>) {
        store_pairs(load(at), load(at + kPanel), reinterpret_cast<Cell*>(cells));
      } else {
        HWY_ALIGN T rounded[kLane];
        store(load(at), rounded);
        store(load(rounded), cells);
      }
    }
  }
}

template <typename Cell, typename T>
void pack(const float* weights, const WeightShape& shape, bool is_transposed, float* to) {
  constexpr std::size_t kBlock = kPanel * kPanel / kValues<Cell>;
  HWY_ALIGN float turned[kPanel * kPanel];
  for (std::size_t t = 0; t < shape.taps; ++t, weights += shape.tap_size()) {
    const std::size_t depth = is_transposed ? shape.outputs : shape.inputs;
    for (std::size_t column = 0; column < shape.tap_size() / depth; column += kPanel) {
      for (std::size_t row = 0; row < depth; row += kPanel, to += kBlock) {
        if (is_transposed) {
          transpose(weights + row * shape.inputs + column * kPanel, turned);
          pack_block<Cell, T>(turned, to);
        } else {
          pack_block<Cell, T>(weights + column * depth + row * kPanel, to);
        }
      }
    }
  }
}

}  // namespace

// Highway exports functions, not templates, so there is one function for each type of values and of
// cells. Without instructions for pairs, the last one is never used.
#if GPS_HAS_BF16_PAIRS
using ShiftedPair = Bf16Pair;
#else
using ShiftedPair = float;
#endif
ShiftedFunctions<float> shifted_floats() {
  return {products<float, float>, outer_products<float, float>, pack<float, float>};
}
ShiftedFunctions<Bf16> shifted_bf16() {
  return {products<float, Bf16>, outer_products<float, Bf16>, pack<float, Bf16>};
}
ShiftedFunctions<Bf16> shifted_bf16_pairs() {
  return {products<ShiftedPair, Bf16>, outer_products<ShiftedPair, Bf16>, pack<ShiftedPair, Bf16>};
}

}  // namespace gps::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gps {
namespace kernels {

HWY_EXPORT(shifted_floats);
HWY_EXPORT(shifted_bf16);
HWY_EXPORT(shifted_bf16_pairs);

}  // namespace kernels

namespace {

template <typename T>
bool use_tiles(Products how) {
  return std::is_same_v<T, Bf16> && how == Products::best && amx::available();
}
template <typename T>
bool use_pairs(Products how) {
  return std::is_same_v<T, Bf16> && how == Products::best && may_use_bf16_pairs();
}

template <typename T>
kernels::ShiftedFunctions<T> functions(bool has_pairs) {
  using namespace kernels;
  if constexpr (std::is_same_v<T, float>) {
    return HWY_DYNAMIC_DISPATCH(shifted_floats)();
  } else {
    return has_pairs ? HWY_DYNAMIC_DISPATCH(shifted_bf16_pairs)()
                     : HWY_DYNAMIC_DISPATCH(shifted_bf16)();
  }
}

}  // namespace

template <typename T>
typename PackedWeights<T>::Form PackedWeights<T>::form(Products how) {
  return use_tiles<T>(how) ? Form::tiles : use_pairs<T>(how) ? Form::pairs : Form::floats;
}

template <typename T>
PackedWeights<T>::PackedWeights(WeightShape shape, Products how)
    : shape_(shape),
      form_(form(how)),
      data_(form_ == Form::floats ? shape.size() : shape.size() / 2) {}

template <typename T>
void PackedWeights<T>::pack(const float* weights) {
  if (form_ == Form::tiles)
    return amx::pack(weights, shape_, reinterpret_cast<Bf16*>(data_.data()));
  functions<T>(form_ == Form::pairs).pack(weights, shape_, false, data_.data());
}

template <typename T>
void PackedWeights<T>::pack_transposed(const float* weights) {
  if (form_ == Form::tiles)
    return amx::pack_transposed(weights, shape_, reinterpret_cast<Bf16*>(data_.data()));
  functions<T>(form_ == Form::pairs).pack(weights, shape_, true, data_.data());
}

template <typename T>
const void* PackedWeights<T>::tap(std::size_t t) const {
  return data_.data() + t * (form_ == Form::floats ? shape_.tap_size() : shape_.tap_size() / 2);
}

template class PackedWeights<float>;
template class PackedWeights<Bf16>;

template <typename T>
void shifted_products(const ShiftedShape& shape, std::span<const Tap<T>> taps, T* out,
                      AlignedFloats& scratch, Products how) {
  if constexpr (std::is_same_v<T, Bf16>) {
    if (use_tiles<T>(how)) {
      return amx::products(taps.data(), taps.size(), shape.images * shape.grid.area(), shape.inputs,
                           shape.outputs, out);
    }
  }
  functions<T>(use_pairs<T>(how)).products(shape, taps, out, scratch);
}

template <typename T>
void add_shifted_outer_products(const ShiftedShape& shape, std::span<const GradientTap<T>> taps,
                                const T* errors, float scale, AlignedFloats& scratch,
                                Products how) {
  if constexpr (std::is_same_v<T, Bf16>) {
    if (use_tiles<T>(how)) {
      return amx::add_outer_products(taps.data(), taps.size(), shape.images * shape.grid.area(),
                                     shape.inputs, shape.outputs, errors, scale, scratch);
    }
  }
  functions<T>(use_pairs<T>(how)).outer_products(shape, taps, errors, scale, scratch);
}

template void shifted_products(const ShiftedShape&, std::span<const Tap<float>>, float*,
                               AlignedFloats&, Products);
template void shifted_products(const ShiftedShape&, std::span<const Tap<Bf16>>, Bf16*,
                               AlignedFloats&, Products);
template void add_shifted_outer_products(const ShiftedShape&, std::span<const GradientTap<float>>,
                                         const float*, float, AlignedFloats&, Products);
template void add_shifted_outer_products(const ShiftedShape&, std::span<const GradientTap<Bf16>>,
                                         const Bf16*, float, AlignedFloats&, Products);

}  // namespace gps
#endif
