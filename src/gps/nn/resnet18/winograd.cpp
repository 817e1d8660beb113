#include "gps/nn/resnet18/winograd.h"

#include <algorithm>

#include "gps/core/simd_target.h"

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gps/nn/resnet18/winograd.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set
#include <hwy/highway.h>

#include "gps/nn/resnet18/panel_products-inl.h"

#ifndef GPS_NN_WINOGRAD_FUNCTIONS_
#define GPS_NN_WINOGRAD_FUNCTIONS_
namespace gps::kernels {
// The two products are the forward one and, if the flag is true, the backward one.
template <typename T>
struct WinogradFunctions {
  void (*products)(const WinogradShape&, bool, const T*, const float*, T*, AlignedFloats&);
  void (*gradient)(const WinogradShape&, const T*, const T*, float, float*, AlignedFloats&);
};
}  // namespace gps::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace gps::kernels::HWY_NAMESPACE {
namespace {

constexpr std::size_t kPlaces = 16;     // of a transformed tile
constexpr std::size_t kMostTiles = 96;  // that are transformed at a time
static_assert(kMostTiles % kRows == 0);
// From one place to the next, in rows: not a power of two, so that places do not share cache sets.
constexpr std::size_t kPlaceRows = kMostTiles + 1;

template <typename Cell>
constexpr std::size_t kPlaceCells = kPlaceRows* kCells<Cell>;
template <typename Cell>
constexpr std::size_t kPanelCells = kPlaces* kPlaceCells<Cell>;

// The one-dimensional transforms, of values at a distance of kStep.
template <std::size_t kStep>
HWY_INLINE void window_line(V* d) {  // Bᵀ
  const V a = hn::Sub(d[0], d[2 * kStep]);
  const V b = hn::Add(d[kStep], d[2 * kStep]);
  const V c = hn::Sub(d[2 * kStep], d[kStep]);
  const V e = hn::Sub(d[kStep], d[3 * kStep]);
  d[0] = a;
  d[kStep] = b;
  d[2 * kStep] = c;
  d[3 * kStep] = e;
}
template <std::size_t kStep>
HWY_INLINE void errors_line(V* e) {  // A, from the first two values
  const V a = e[0];
  const V b = e[kStep];
  e[kStep] = hn::Add(a, b);
  e[2 * kStep] = hn::Sub(a, b);
  e[3 * kStep] = hn::Neg(b);
}
template <std::size_t kStep>
HWY_INLINE void outputs_line(V* m) {  // Aᵀ, into the first two values
  const V a = hn::Add(m[0], hn::Add(m[kStep], m[2 * kStep]));
  m[kStep] = hn::Sub(hn::Sub(m[kStep], m[2 * kStep]), m[3 * kStep]);
  m[0] = a;
}
template <std::size_t kStep>
HWY_INLINE void kernel_line(V* g) {  // G, from the first three values
  const V half = hn::Set(kFloats, 0.5f);
  const V ends = hn::Mul(half, hn::Add(g[0], g[2 * kStep]));
  const V middle = hn::Mul(half, g[kStep]);
  g[3 * kStep] = g[2 * kStep];
  g[kStep] = hn::Add(ends, middle);
  g[2 * kStep] = hn::Sub(ends, middle);
}
template <std::size_t kStep>
HWY_INLINE void gradient_line(V* g) {  // Gᵀ, into the first three values
  const V half = hn::Set(kFloats, 0.5f);
  const V sum = hn::Mul(half, hn::Add(g[kStep], g[2 * kStep]));
  g[kStep] = hn::Mul(half, hn::Sub(g[kStep], g[2 * kStep]));
  g[0] = hn::Add(g[0], sum);
  g[2 * kStep] = hn::Add(sum, g[3 * kStep]);
}

// The transforms of 4 x 4 values.
HWY_INLINE void transform_window(V* d) {
  for (std::size_t x = 0; x < 4; ++x) window_line<4>(d + x);
  for (std::size_t y = 0; y < 4; ++y) window_line<1>(d + 4 * y);
}
HWY_INLINE void transform_errors(V* e) {  // 2 x 2 of them
  for (std::size_t x = 0; x < 2; ++x) errors_line<4>(e + x);
  for (std::size_t y = 0; y < 4; ++y) errors_line<1>(e + 4 * y);
}
HWY_INLINE void transform_outputs(V* m) {  // to 2 x 2
  for (std::size_t x = 0; x < 4; ++x) outputs_line<4>(m + x);
  for (std::size_t y = 0; y < 2; ++y) outputs_line<1>(m + 4 * y);
}
HWY_INLINE void transform_kernel(V* g) {  // from 3 x 3
  for (std::size_t x = 0; x < 3; ++x) kernel_line<4>(g + x);
  for (std::size_t y = 0; y < 4; ++y) kernel_line<1>(g + 4 * y);
}
HWY_INLINE void transform_gradient(V* g) {  // to 3 x 3
  for (std::size_t x = 0; x < 4; ++x) gradient_line<4>(g + x);
  for (std::size_t y = 0; y < 3; ++y) gradient_line<1>(g + 4 * y);
}

// Where the pixels of a tile lie, and how many of its rows and columns the image has.
struct Place {
  std::ptrdiff_t first;
  std::size_t rows, columns;
};

std::size_t tiles_across(const ImageGrid& grid) { return (grid.width + 1) / 2; }
std::size_t tiles_of_image(const ImageGrid& grid) {
  return tiles_across(grid) * ((grid.height + 1) / 2);
}

// Consecutive tiles of a batch: image after image and row after row.
struct Tiles {
  std::size_t stride;  // of the grid
  std::size_t count;
  Place places[kMostTiles];

  Tiles(const ImageGrid& grid, std::size_t first, std::size_t end)
      : stride(grid.stride()), count(std::min(kMostTiles, end - first)) {
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t image = (first + k) / tiles_of_image(grid);
      const std::size_t y = (first + k) % tiles_of_image(grid) / tiles_across(grid) * 2;
      const std::size_t x = (first + k) % tiles_across(grid) * 2;
      places[k] = {static_cast<std::ptrdiff_t>(grid.position(image, y, x)),
                   std::min<std::size_t>(2, grid.height - y),
                   std::min<std::size_t>(2, grid.width - x)};
    }
  }
};

// Loads the 4 x 4 values around a tile. Beyond the zeros that follow an image there may be another
// image, which is not read.
template <typename T>
HWY_INLINE void load_window(const Place& place, std::size_t stride, const T* values,
                            std::size_t channels, V* d) {
  const T* from = values + (place.first - static_cast<std::ptrdiff_t>(stride) - 1) *
                               static_cast<std::ptrdiff_t>(channels);
  const bool is_whole = place.rows == 2 && place.columns == 2;
  if (HWY_LIKELY(is_whole)) {
    for (std::size_t y = 0; y < 4; ++y)
      for (std::size_t x = 0; x < 4; ++x) d[4 * y + x] = load(from + (y * stride + x) * channels);
    return;
  }
  for (std::size_t y = 0; y < 4; ++y) {
    for (std::size_t x = 0; x < 4; ++x) {
      const std::size_t down = std::min(y, place.rows + 1);
      const std::size_t right = std::min(x, place.columns + 1);
      d[4 * y + x] = load(from + (down * stride + right) * channels);
    }
  }
}

struct Window {
  template <typename T>
  static HWY_INLINE void transformed(const Place& place, std::size_t stride, const T* values,
                                     std::size_t channels, V* out) {
    load_window(place, stride, values, channels, out);
    transform_window(out);
  }
};
struct ErrorTile {  // beyond the image there are the zeros that follow it
  template <typename T>
  static HWY_INLINE void transformed(const Place& place, std::size_t stride, const T* values,
                                     std::size_t channels, V* out) {
    const T* from = values + place.first * static_cast<std::ptrdiff_t>(channels);
    out[0] = load(from);
    out[1] = load(from + channels);
    out[4] = load(from + stride * channels);
    out[5] = load(from + (stride + 1) * channels);
    transform_errors(out);
  }
};

// Writes tiles of all channels as the left factors of products:
// [panel][place][tile][kPanel].
template <typename Cell, typename T>
void transform_rows(const Tiles& tiles, const T* values, std::size_t channels, Cell* to) {
  for (std::size_t panel = 0; panel < channels; panel += kPanel, to += kPanelCells<Cell>) {
    for (std::size_t tile = 0; tile < tiles.count; ++tile) {
      for (std::size_t c = 0; c < kPanel; c += kLanes) {
        V d[kPlaces];
        Window::transformed(tiles.places[tile], tiles.stride, values + panel + c, channels, d);
        Cell* row = to + tile * kCells<Cell> + c / kValues<Cell>;
        for (std::size_t place = 0; place < kPlaces; ++place)
          store_values(d[place], row + place * kPlaceCells<Cell>);
      }
    }
  }
}

// Writes them as factors that are summed over tiles: floats as above; pairs with the values of two
// tiles each, [panel][place][tile / 2][kPanel]. Returns the number of cells to sum.
template <typename Transform, typename T>
std::size_t transform_columns(const Tiles& tiles, const T* values, std::size_t channels,
                              float* to) {
  for (std::size_t panel = 0; panel < channels; panel += kPanel, to += kPanelCells<float>) {
    for (std::size_t tile = 0; tile < tiles.count; ++tile) {
      for (std::size_t c = 0; c < kPanel; c += kLanes) {
        V d[kPlaces];
        Transform::transformed(tiles.places[tile], tiles.stride, values + panel + c, channels, d);
        for (std::size_t place = 0; place < kPlaces; ++place)
          store(d[place], to + place * kPlaceCells<float> + tile * kPanel + c);
      }
    }
  }
  return tiles.count;
}
#if GPS_HAS_BF16_PAIRS
template <typename Transform, typename T>
std::size_t transform_columns(const Tiles& tiles, const T* values, std::size_t channels,
                              Bf16Pair* to) {
  for (std::size_t panel = 0; panel < channels; panel += kPanel, to += kPanelCells<Bf16Pair>) {
    for (std::size_t tile = 0; tile < tiles.count; tile += 2) {
      for (std::size_t c = 0; c < kPanel; c += kLanes) {
        V d[kPlaces];
        V e[kPlaces];
        Transform::transformed(tiles.places[tile], tiles.stride, values + panel + c, channels, d);
        if (tile + 1 < tiles.count) {
          Transform::transformed(tiles.places[tile + 1], tiles.stride, values + panel + c, channels,
                                 e);
        } else {
          for (V& zero : e) zero = hn::Zero(kFloats);
        }
        for (std::size_t place = 0; place < kPlaces; ++place) {
          store_pairs(d[place], e[place],
                      to + place * kPlaceCells<Bf16Pair> + tile / 2 * kPanel + c);
        }
      }
    }
  }
  return (tiles.count + 1) / 2;
}
#endif

// Writes the transformed kernels of one panel of outputs as right factors: [place][inputs][kPanel],
// and pairs of inputs as [place][inputs / 2][kPanel][2].
template <typename Cell>
HWY_INLINE void store_kernels(const V* first, const V* second, std::size_t inputs, std::size_t i,
                              std::size_t c, Cell* to) {
  for (std::size_t place = 0; place < kPlaces; ++place) {
    if constexpr (kValues<Cell> == 1) {
      store(first[place], to + (place * inputs + i) * kPanel + c);
      store(second[place], to + (place * inputs + i + 1) * kPanel + c);
    } else {
      store_pairs(first[place], second[place], to + (place * inputs + i) / 2 * kPanel + c);
    }
  }
}
template <typename Cell>
void transform_kernels(const WeightShape& shape, const float* weights, std::size_t panel,
                       Cell* to) {
  const float* from = weights + panel * shape.inputs;
  for (std::size_t i = 0; i < shape.inputs; i += 2) {
    for (std::size_t c = 0; c < kPanel; c += kLanes) {
      V pair[2][kPlaces];
      for (std::size_t k = 0; k < 2; ++k) {
        for (std::size_t t = 0; t < 9; ++t)
          pair[k][t / 3 * 4 + t % 3] = load(from + t * shape.tap_size() + (i + k) * kPanel + c);
        transform_kernel(pair[k]);
      }
      store_kernels(pair[0], pair[1], shape.inputs, i, c, to);
    }
  }
}

// The same for the errors of one panel of inputs: outputs and inputs are exchanged and the taps go
// the other way.
template <typename Cell>
void transform_kernels_back(const WeightShape& shape, const float* weights, std::size_t panel,
                            Cell* to) {
  HWY_ALIGN float turned[9][kPanel * kPanel];
  for (std::size_t o = 0; o < shape.outputs; o += kPanel) {
    for (std::size_t t = 0; t < 9; ++t) {
      transpose(weights + (8 - t) * shape.tap_size() + o * shape.inputs + panel * kPanel,
                turned[t]);
    }
    for (std::size_t k = 0; k < kPanel; k += 2) {
      for (std::size_t c = 0; c < kPanel; c += kLanes) {
        V pair[2][kPlaces];
        for (std::size_t j = 0; j < 2; ++j) {
          for (std::size_t t = 0; t < 9; ++t)
            pair[j][t / 3 * 4 + t % 3] = load(turned[t] + (k + j) * kPanel + c);
          transform_kernel(pair[j]);
        }
        store_kernels(pair[0], pair[1], shape.outputs, o + k, c, to);
      }
    }
  }
}

// Writes the outputs of the tiles for the first `used` channels of a panel.
template <typename T>
void write_outputs(const Tiles& tiles, const float* sums, std::size_t used, std::size_t channels,
                   T* out) {
  for (std::size_t tile = 0; tile < tiles.count; ++tile) {
    const Place& place = tiles.places[tile];
    for (std::size_t c = 0; c < std::min(used, kPanel); c += kLanes) {
      V m[kPlaces];
      for (std::size_t k = 0; k < kPlaces; ++k)
        m[k] = load(sums + k * kPlaceCells<float> + tile * kPanel + c);
      transform_outputs(m);
      T* to = out + place.first * static_cast<std::ptrdiff_t>(channels) + c;
      for (std::size_t y = 0; y < place.rows; ++y) {
        for (std::size_t x = 0; x < place.columns; ++x)
          store(m[4 * y + x], to + (y * tiles.stride + x) * channels);
      }
    }
  }
}

// The convolution of `in`, or, backwards, of errors with the transposed weights.
template <typename Cell, typename T>
void products(const WinogradShape& shape, bool is_back, const T* in, const float* weights, T* out,
              AlignedFloats& scratch) {
  const std::size_t depth = is_back ? shape.weights.outputs : shape.weights.inputs;
  const std::size_t width = is_back ? shape.weights.inputs : shape.weights.outputs;
  const std::size_t used_depth = is_back ? shape.outputs : shape.inputs;
  const std::size_t used_width = is_back ? shape.inputs : shape.outputs;
  const std::size_t end = shape.images * tiles_of_image(shape.grid);
  // Kernels are transformed where they are used, or once if there is more than one block of tiles.
  const bool keeps = end > kMostTiles;
  const std::size_t kernel_cells = kPlaces * depth / kValues<Cell> * kPanel;
  const std::size_t panels = width / kPanel;
  Parts parts(scratch, depth / kPanel * kPanelCells<Cell> + kPanelCells<float> +
                           (keeps ? panels : 1) * kernel_cells);
  Cell* const rows = parts.take<Cell>(depth / kPanel * kPanelCells<Cell>);
  float* const sums = parts.take<float>(kPanelCells<float>);
  Cell* const kernels = parts.take<Cell>((keeps ? panels : 1) * kernel_cells);
  for (std::size_t first = 0; first < end; first += kMostTiles) {
    const Tiles tiles(shape.grid, first, end);
    transform_rows(tiles, in, depth, rows);
    for (std::size_t panel = 0; panel * kPanel < used_width; ++panel) {
      Cell* const own = kernels + (keeps ? panel * kernel_cells : 0);
      if (!keeps || first == 0) {
        is_back ? transform_kernels_back(shape.weights, weights, panel * kPanel, own)
                : transform_kernels(shape.weights, weights, panel * kPanel, own);
      }
      const std::size_t used = used_width - panel * kPanel;
      for (std::size_t place = 0; place < kPlaces; ++place) {
        const Cell* kernel = own + place * (kernel_cells / kPlaces);
        for_columns(used, [&]<std::size_t kWidth>(std::size_t column) HWY_ATTR {
          multiply<kWidth, Cell>(rows + place * kPlaceCells<Cell>, kPanelCells<Cell>, tiles.count,
                                 {&kernel, 1}, used_depth, column,
                                 sums + place * kPlaceCells<float>);
        });
      }
      write_outputs(tiles, sums, used, width, out + panel * kPanel);
    }
  }
}

// Adds the gradient of the kernels of a panel of inputs and one of outputs, without their padding.
HWY_INLINE void add_gradient(const float* sums, std::size_t inputs, std::size_t outputs,
                             std::size_t tap_size, V scale, float* weights) {
  for (std::size_t i = 0; i < std::min(inputs, kPanel); ++i) {
    for (std::size_t c = 0; c < std::min(outputs, kPanel); c += kLanes) {
      V g[kPlaces];
      for (std::size_t k = 0; k < kPlaces; ++k)
        g[k] = load(sums + k * kPanel * kPanel + i * kPanel + c);
      transform_gradient(g);
      for (std::size_t t = 0; t < 9; ++t) {
        float* to = weights + t * tap_size + i * kPanel + c;
        store(hn::MulAdd(scale, g[t / 3 * 4 + t % 3], load(to)), to);
      }
    }
  }
}

template <typename Cell, typename T>
void gradient(const WinogradShape& shape, const T* in, const T* errors, float scale, float* weights,
              AlignedFloats& scratch) {
  const std::size_t inputs = shape.weights.inputs;
  const std::size_t outputs = shape.weights.outputs;
  const std::size_t end = shape.images * tiles_of_image(shape.grid);
  const bool keeps = end > kMostTiles;
  const std::size_t pairs = keeps ? inputs / kPanel * (outputs / kPanel) : 1;
  constexpr std::size_t kSums = kPlaces * kPanel * kPanel;
  Parts parts(scratch, (inputs + outputs) / kPanel * kPanelCells<float> + pairs * kSums);
  Cell* const left = parts.take<Cell>(inputs / kPanel * kPanelCells<float>);
  Cell* const right = parts.take<Cell>(outputs / kPanel * kPanelCells<float>);
  float* const all_sums = parts.take<float>(pairs * kSums);
  const V factor = hn::Set(kFloats, scale);
  for (std::size_t first = 0; first < end; first += kMostTiles) {
    const Tiles tiles(shape.grid, first, end);
    const bool is_last = first + tiles.count == end;
    transform_columns<Window>(tiles, in, inputs, left);
    const std::size_t depth = transform_columns<ErrorTile>(tiles, errors, outputs, right);
    float* sums = all_sums;
    for (std::size_t o = 0; o < shape.outputs; o += kPanel) {
      const Cell* b = right + o / kPanel * kPanelCells<Cell>;
      for (std::size_t i = 0; i < shape.inputs; i += kPanel) {
        const Cell* a = left + i / kPanel * kPanelCells<Cell>;
        for (std::size_t place = 0; place < kPlaces; ++place) {
          for_columns(shape.outputs - o, [&]<std::size_t kWidth>(std::size_t column) HWY_ATTR {
            multiply_columns<kWidth>(
                a + place * kPlaceCells<Cell>, shape.inputs - i, b + place * kPlaceCells<Cell>,
                depth, column,
                [&](V sum, V before) HWY_ATTR { return first == 0 ? sum : hn::Add(before, sum); },
                sums + place * kPanel * kPanel);
          });
        }
        if (is_last) {
          add_gradient(sums, shape.inputs - i, shape.outputs - o, shape.weights.tap_size(), factor,
                       weights + o * inputs + i * kPanel);
        }
        if (keeps) sums += kSums;
      }
    }
  }
}

}  // namespace

// Highway exports functions, not templates, so there is one function for each type of pixels and of
// cells. Without instructions for pairs, the last one is never used.
#if GPS_HAS_BF16_PAIRS
using PairCell = Bf16Pair;
#else
using PairCell = float;
#endif
WinogradFunctions<float> winograd_floats() {
  return {products<float, float>, gradient<float, float>};
}
WinogradFunctions<Bf16> winograd_bf16() { return {products<float, Bf16>, gradient<float, Bf16>}; }
WinogradFunctions<Bf16> winograd_bf16_pairs() {
  return {products<PairCell, Bf16>, gradient<PairCell, Bf16>};
}

}  // namespace gps::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gps {
namespace kernels {

HWY_EXPORT(winograd_floats);
HWY_EXPORT(winograd_bf16);
HWY_EXPORT(winograd_bf16_pairs);

}  // namespace kernels

namespace {

kernels::WinogradFunctions<float> functions(float /*type*/, Products /*how*/) {
  using namespace kernels;
  return HWY_DYNAMIC_DISPATCH(winograd_floats)();
}
kernels::WinogradFunctions<Bf16> functions(Bf16 /*type*/, Products how) {
  using namespace kernels;
  return how == Products::best && may_use_bf16_pairs() ? HWY_DYNAMIC_DISPATCH(winograd_bf16_pairs)()
                                                       : HWY_DYNAMIC_DISPATCH(winograd_bf16)();
}

}  // namespace

template <>
bool winograd_is_faster<float>() {
  return true;
}
template <>
bool winograd_is_faster<Bf16>() {
  return !may_use_tiles();
}

template <typename T>
void winograd_products(const WinogradShape& shape, const T* in, const float* weights, T* out,
                       AlignedFloats& scratch, Products how) {
  functions(T(), how).products(shape, false, in, weights, out, scratch);
}

template <typename T>
void winograd_back_products(const WinogradShape& shape, const T* errors, const float* weights,
                            T* errors_in, AlignedFloats& scratch, Products how) {
  functions(T(), how).products(shape, true, errors, weights, errors_in, scratch);
}

template <typename T>
void add_winograd_gradient(const WinogradShape& shape, const T* in, const T* errors, float scale,
                           float* weights, AlignedFloats& scratch, Products how) {
  functions(T(), how).gradient(shape, in, errors, scale, weights, scratch);
}

template void winograd_products(const WinogradShape&, const float*, const float*, float*,
                                AlignedFloats&, Products);
template void winograd_products(const WinogradShape&, const Bf16*, const float*, Bf16*,
                                AlignedFloats&, Products);
template void winograd_back_products(const WinogradShape&, const float*, const float*, float*,
                                     AlignedFloats&, Products);
template void winograd_back_products(const WinogradShape&, const Bf16*, const float*, Bf16*,
                                     AlignedFloats&, Products);
template void add_winograd_gradient(const WinogradShape&, const float*, const float*, float, float*,
                                    AlignedFloats&, Products);
template void add_winograd_gradient(const WinogradShape&, const Bf16*, const Bf16*, float, float*,
                                    AlignedFloats&, Products);

}  // namespace gps
#endif
