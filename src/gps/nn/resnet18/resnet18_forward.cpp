#include <algorithm>
#include <cmath>

#include "gps/nn/resnet18/resnet18_passes.h"

namespace gps {
namespace {

constexpr float kMomentum = 0.1f;  // of running statistics
constexpr float kEpsilon = 1e-5f;

}  // namespace

template <typename T>
template <typename Value>
void ResNet18Passes<T>::unfold(std::size_t row, const Value& value) {
  const ResNetUnit& stem = layout_.units[0];
  const ImageGrid& grid = stem.grid;
  for (std::size_t c = 0; c < stem.in; ++c) {
    const auto [mean, deviation] = normalisation(c);
    for (std::size_t y = 0; y < grid.height; ++y) {
      for (std::size_t x = 0; x < grid.width; ++x) {
        const T v =
            rounded_to<T>((value((c * grid.height + y) * grid.width + x) - mean) / deviation);
        // The pixel is tap (down, right) of position (y + 1 - down, x + 1 - right).
        for (std::size_t down = 0; down < 3; ++down) {
          for (std::size_t right = 0; right < 3; ++right) {
            const std::size_t to_y = y + 1 - down;
            const std::size_t to_x = x + 1 - right;
            if (to_y >= grid.height || to_x >= grid.width) continue;
            columns_.data()[grid.position(row, to_y, to_x) * stem.shape.inputs + c * 9 + down * 3 +
                            right] = v;
          }
        }
      }
    }
  }
}

template <typename T>
void ResNet18Passes<T>::forward(ImageRows images, PassMode mode) {
  reserve(images.size());
  for (std::size_t r = 0; r < images.size(); ++r) {
    const std::uint8_t* image = images[r];
    unfold(r, [image](std::size_t k) { return static_cast<float>(image[k]) / 255.0f; });
  }
  forward_unfolded(images.size(), mode);
}

template <typename T>
void ResNet18Passes<T>::forward_values(std::span<const float> images) {
  const std::size_t rows = images.size() / inputs();
  reserve(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    const float* image = images.data() + r * inputs();
    unfold(r, [image](std::size_t k) { return image[k]; });
  }
  forward_unfolded(rows, PassMode::evaluate);
}

template <typename T>
void ResNet18Passes<T>::forward_unfolded(std::size_t rows, PassMode mode) {
  if (!is_packed_) {
    for (Unit& unit : units_) pack(unit);
    is_packed_ = true;
  }
  Unit& stem = units_[0];
  convolve(stem, {columns_.data()}, rows);
  const kernels::Branch<T> normalised = normalise(stem, rows, mode);
  kernels_.rectified_sum(pixels_of(stem.place, rows), normalised, {}, stem_.data());
  const T* in = stem_.data();
  for (std::size_t b = 0; b < blocks_.size(); ++b) in = forward_block(b, in, rows, mode);
  const ResNetUnit& last = last_unit(kStages - 1);
  kernels_.average(pixels_of(last, rows), in, features_.data());
  for (std::size_t r = 0; r < rows; ++r) {
    const float* features = features_.data() + r * layout_.feature_stride;
    for (std::size_t c = 0; c < classes(); ++c) {
      const float* w = theta_.data() + layout_.linear + c * layout_.feature_stride;
      double sum = static_cast<double>(theta_[layout_.bias + c]);
      for (std::size_t f = 0; f < layout_.features; ++f)
        sum += static_cast<double>(features[f] * w[f]);
      logits_[r * class_stride() + c] = static_cast<float>(sum);
    }
  }
}

template <typename T>
const T* ResNet18Passes<T>::forward_block(std::size_t b, const T* in, std::size_t rows,
                                          PassMode mode) {
  const ResNetBlock& place = layout_.blocks[b];
  Block& block = blocks_[b];
  Unit& first = units_[place.first];
  Unit& second = units_[place.second];
  const PixelRows pixels = pixels_of(first.place, rows);
  divide_into_phases(b, in, rows);
  const Sources sources = sources_of(b, in);
  convolve(first, sources, rows);
  kernels_.rectified_sum(pixels, normalise(first, rows, mode), {}, block.hidden.data());
  convolve(second, {block.hidden.data()}, rows);
  const kernels::Branch<T> main = normalise(second, rows, mode);
  kernels::Branch<T> other{in, ones_.data(), zeros_.data()};
  if (place.halves()) {
    Unit& shortcut = units_[place.shortcut];
    convolve(shortcut, sources, rows);
    other = normalise(shortcut, rows, mode);
  }
  kernels_.rectified_sum(pixels, main, other, block.out.data());
  return block.out.data();
}

template <typename T>
void ResNet18Passes<T>::divide_into_phases(std::size_t b, const T* in, std::size_t rows) {
  const ResNetBlock& place = layout_.blocks[b];
  if (!place.halves()) return;
  for (std::size_t k = 0; k < kPhases; ++k) {
    T* phase = blocks_[b].phases[k].data();
    for_each_of_phase(place.stage, k, rows, [&](std::size_t from, std::size_t to, std::size_t n) {
      std::copy_n(in + from, n, phase + to);
    });
  }
}

template <typename T>
void ResNet18Passes<T>::convolve(Unit& unit, const Sources& sources, std::size_t rows) {
  const WeightShape& shape = unit.place.shape;
  if (unit.is_winograd) {
    return winograd_products(winograd_shape(unit.place, rows), sources[0],
                             theta_.data() + unit.place.weights, unit.out.data(), scratch_);
  }
  std::array<Tap<T>, 9> taps;
  std::size_t count = 0;
  for (const TapPlace& tap : unit.place.taps)
    taps[count++] = {shifted(sources[tap.phase], tap.shift, shape.inputs),
                     unit.forward.tap(tap.tap)};
  shifted_products<T>(shifted_shape(unit.place, rows), std::span(taps).first(count),
                      unit.out.data(), scratch_);
}

template <typename T>
kernels::Branch<T> ResNet18Passes<T>::normalise(Unit& unit, std::size_t rows, PassMode mode) {
  const PixelRows pixels = pixels_of(unit.place, rows);
  float* running_mean = statistics_.data() + unit.place.statistics;
  float* running_variance = running_mean + pixels.channels;
  const float* variance = running_variance;
  if (mode == PassMode::train) {
    variance = channel_[0].data();
    kernels_.statistics(pixels, unit.out.data(), unit.mean.data(), channel_[0].data());
    const auto count = static_cast<float>(pixels.count());
    const float unbiased = count / std::max(1.0f, count - 1);
    for (std::size_t c = 0; c < unit.place.out; ++c) {
      running_mean[c] += kMomentum * (unit.mean[c] - running_mean[c]);
      running_variance[c] += kMomentum * (unbiased * variance[c] - running_variance[c]);
    }
  } else {
    std::copy_n(running_mean, pixels.channels, unit.mean.data());
  }
  for (std::size_t c = 0; c < pixels.channels; ++c) {
    unit.deviation[c] = 1 / std::sqrt(variance[c] + kEpsilon);
    unit.scale[c] = theta_[unit.place.scale + c] * unit.deviation[c];
    unit.shift[c] = theta_[unit.place.shift + c] - unit.mean[c] * unit.scale[c];
  }
  return {unit.out.data(), unit.scale.data(), unit.shift.data()};
}

template void ResNet18Passes<float>::forward(ImageRows, PassMode);
template void ResNet18Passes<Bf16>::forward(ImageRows, PassMode);
template void ResNet18Passes<float>::forward_values(std::span<const float>);
template void ResNet18Passes<Bf16>::forward_values(std::span<const float>);

}  // namespace gps
