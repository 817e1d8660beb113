#include <algorithm>

#include "gps/nn/logit_loss.h"
#include "gps/nn/resnet18/resnet18_passes.h"

namespace gps {

template <typename T>
double ResNet18Passes<T>::loss(std::size_t rows, std::span<const LossTerm> terms) {
  const NetworkOutputs outputs{rows,
                               classes(),
                               class_stride(),
                               logits_.data(),
                               feature_size(),
                               layout_.feature_stride,
                               features_.data()};
  const double total = loss_of_outputs(terms, outputs, errors_.data());
  std::fill_n(feature_errors_.data(), rows * layout_.feature_stride, 0.0f);
  for (std::size_t r = 0; r < rows; ++r) {
    float* to = feature_errors_.data() + r * layout_.feature_stride;
    for (std::size_t c = 0; c < classes(); ++c) {
      const float error = errors_[r * class_stride() + c];
      const float* w = theta_.data() + layout_.linear + c * layout_.feature_stride;
      for (std::size_t f = 0; f < layout_.feature_stride; ++f) to[f] += error * w[f];
    }
  }
  for (const LossTerm& term : terms) {
    if (term.loss != Loss::feature_distance) continue;
    const float weight = 2 * term.weight / static_cast<float>(term.rows());
    for (std::size_t k = 0; k < term.rows(); ++k) {
      const std::size_t at = (term.first + k) * layout_.feature_stride;
      for (std::size_t f = 0; f < feature_size(); ++f)
        feature_errors_[at + f] +=
            weight * (features_[at + f] - term.targets[k * feature_size() + f]);
    }
  }
  return total;
}

template <typename T>
void ResNet18Passes<T>::backward(std::size_t rows, PassMode mode, float factor, float* to) {
  reserve_backward(rows);
  if (to != nullptr) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < classes(); ++c) {
        const float error = factor * errors_[r * class_stride() + c];
        const float* features = features_.data() + r * layout_.feature_stride;
        float* w = to + layout_.linear + c * layout_.feature_stride;
        for (std::size_t f = 0; f < layout_.feature_stride; ++f) w[f] += error * features[f];
        to[layout_.bias + c] += error;
      }
    }
  }
  const ResNetUnit& last = last_unit(kStages - 1);
  const auto area = static_cast<float>(last.grid.height * last.grid.width);
  kernels_.spread(pixels_of(last, rows), feature_errors_.data(), 1 / area,
                  errors_by_stage_[kStages - 1].out.data());
  const Gradient gradient{rows, mode, factor, to};
  const T* more = nullptr;
  for (std::size_t b = blocks_.size(); b-- > 0;) more = backward_block(b, more, gradient);

  Unit& stem = units_[0];
  Errors& errors = errors_by_stage_[0];
  normalise_backward(stem, more, stem_.data(), errors.out.data(), gradient, errors.raw.data());
  learn(stem, {columns_.data()}, errors.raw.data(), gradient);
}

template <typename T>
const T* ResNet18Passes<T>::backward_block(std::size_t b, const T* more, const Gradient& gradient) {
  const ResNetBlock& place = layout_.blocks[b];
  Block& block = blocks_[b];
  Unit& first = units_[place.first];
  Unit& second = units_[place.second];
  Errors& errors = errors_by_stage_[place.stage];
  const std::size_t rows = gradient.rows;
  const T* in = b == 0 ? stem_.data() : blocks_[b - 1].out.data();
  const Sources sources = sources_of(b, in);

  normalise_backward(second, more, block.out.data(), errors.out.data(), gradient,
                     errors.raw.data());
  propagate(second, errors.raw.data(), nullptr, nullptr, 0, rows, errors.hidden.data());
  learn(second, {block.hidden.data()}, errors.raw.data(), gradient);

  normalise_backward(first, nullptr, block.hidden.data(), errors.hidden.data(), gradient,
                     errors.raw.data());
  if (!place.halves()) {
    propagate(first, errors.raw.data(), nullptr, nullptr, 0, rows, errors.hidden.data());
  } else {
    Unit& shortcut = units_[place.shortcut];
    normalise_backward(shortcut, nullptr, nullptr, errors.out.data(), gradient,
                       errors.shortcut.data());
    T* out = errors_by_stage_[place.stage - 1].out.data();
    for (std::size_t k = 0; k < kPhases; ++k) {
      T* phase = errors.phase.data();
      propagate(first, errors.raw.data(), &shortcut, errors.shortcut.data(), k, rows, phase);
      for_each_of_phase(place.stage, k, rows, [&](std::size_t to, std::size_t from, std::size_t n) {
        std::copy_n(phase + from, n, out + to);
      });
    }
    learn(shortcut, sources, errors.shortcut.data(), gradient);
  }
  learn(first, sources, errors.raw.data(), gradient);
  return place.halves() ? nullptr : errors.hidden.data();
}

template <typename T>
void ResNet18Passes<T>::propagate(const Unit& unit, const T* errors, const Unit* other,
                                  const T* other_errors, std::size_t phase, std::size_t rows,
                                  T* out) {
  if (unit.is_winograd) {
    return winograd_back_products(winograd_shape(unit.place, rows), errors,
                                  theta_.data() + unit.place.weights, out, scratch_);
  }
  std::array<Tap<T>, 10> taps;
  std::size_t count = 0;
  const std::size_t channels = unit.place.shape.outputs;
  const auto add = [&](const Unit& from, const T* values) {
    for (const TapPlace& tap : from.place.taps) {
      if (tap.phase == phase)
        taps[count++] = {shifted(values, -tap.shift, channels), from.backward.tap(tap.tap)};
    }
  };
  add(unit, errors);
  if (other != nullptr) add(*other, other_errors);
  shifted_products<T>(shifted_shape(unit.place, rows).turned(), std::span(taps).first(count), out,
                      scratch_);
}

template <typename T>
void ResNet18Passes<T>::normalise_backward(Unit& unit, const T* more, const T* outputs, T* errors,
                                           const Gradient& gradient, T* out) {
  const PixelRows pixels = pixels_of(unit.place, gradient.rows);
  auto& [sum, centred_sum, value_factor, shift] = channel_;
  kernels_.gradient_sums(pixels, more, outputs, errors, unit.out.data(), unit.mean.data(),
                         sum.data(), centred_sum.data());
  const auto count = static_cast<float>(pixels.count());
  for (std::size_t c = 0; c < pixels.channels; ++c) {
    value_factor[c] = 0;
    shift[c] = 0;
    if (gradient.mode == PassMode::train) {
      const float deviation = unit.deviation[c];
      value_factor[c] = -unit.scale[c] * deviation * deviation * centred_sum[c] / count;
      shift[c] = -unit.scale[c] * sum[c] / count - value_factor[c] * unit.mean[c];
    }
  }
  kernels_.combine(pixels, errors, unit.out.data(), unit.scale.data(), value_factor.data(),
                   shift.data(), out);
  if (gradient.to == nullptr) return;
  for (std::size_t c = 0; c < pixels.channels; ++c) {
    gradient.to[unit.place.scale + c] += gradient.factor * centred_sum[c] * unit.deviation[c];
    gradient.to[unit.place.shift + c] += gradient.factor * sum[c];
  }
}

template <typename T>
void ResNet18Passes<T>::learn(Unit& unit, const Sources& sources, const T* errors,
                              const Gradient& gradient) {
  if (gradient.to == nullptr) return;
  const WeightShape& shape = unit.place.shape;
  if (unit.is_winograd) {
    return add_winograd_gradient(winograd_shape(unit.place, gradient.rows), sources[0], errors,
                                 gradient.factor, gradient.to + unit.place.weights, scratch_);
  }
  std::array<GradientTap<T>, 9> taps;
  std::size_t count = 0;
  for (const TapPlace& tap : unit.place.taps)
    taps[count++] = {sources[tap.phase], tap.shift,
                     gradient.to + unit.place.weights + tap.tap * shape.tap_size()};
  add_shifted_outer_products<T>(shifted_shape(unit.place, gradient.rows),
                                std::span(taps).first(count), errors, gradient.factor, scratch_);
  if (gradient.to == theta_.data()) pack(unit);
}

template <typename T>
void ResNet18Passes<T>::input_errors(std::size_t rows, std::span<float> out) {
  Unit& stem = units_[0];
  const ResNetUnit& place = stem.place;
  PixelBuffer<T> errors(place.grid, place.shape.inputs, rows);
  const Tap<T> tap{errors_by_stage_[0].raw.data(), stem.backward.tap(0)};
  shifted_products<T>(shifted_shape(place, rows).turned(), std::span(&tap, 1), errors.data(),
                      scratch_);
  std::ranges::fill(out, 0.0f);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < place.in; ++c) {
      const float deviation = normalisation(c).second;
      for (std::size_t y = 0; y < place.grid.height; ++y) {
        for (std::size_t x = 0; x < place.grid.width; ++x) {
          float sum = 0;
          for (std::size_t down = 0; down < 3; ++down) {
            for (std::size_t right = 0; right < 3; ++right) {
              const std::size_t to_y = y + 1 - down;
              const std::size_t to_x = x + 1 - right;
              if (to_y >= place.grid.height || to_x >= place.grid.width) continue;
              sum +=
                  to_float(errors.data()[place.grid.position(r, to_y, to_x) * place.shape.inputs +
                                         c * 9 + down * 3 + right]);
            }
          }
          out[r * inputs() + (c * place.grid.height + y) * place.grid.width + x] = sum / deviation;
        }
      }
    }
  }
}

template double ResNet18Passes<float>::loss(std::size_t, std::span<const LossTerm>);
template double ResNet18Passes<Bf16>::loss(std::size_t, std::span<const LossTerm>);
template void ResNet18Passes<float>::backward(std::size_t, PassMode, float, float*);
template void ResNet18Passes<Bf16>::backward(std::size_t, PassMode, float, float*);
template void ResNet18Passes<float>::input_errors(std::size_t, std::span<float>);
template void ResNet18Passes<Bf16>::input_errors(std::size_t, std::span<float>);

}  // namespace gps
