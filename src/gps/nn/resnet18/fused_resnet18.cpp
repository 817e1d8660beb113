#include "gps/nn/resnet18/fused_resnet18.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "gps/core/errors.h"
#include "gps/core/simd_target.h"
#include "gps/nn/dense_gradients.h"
#include "gps/nn/logit_loss.h"
#include "gps/nn/resnet18/pixel_kernels.h"
#include "gps/nn/resnet18/resnet18_layout.h"

namespace gps {
namespace {

constexpr float kMomentum = 0.1f;
constexpr float kEpsilon = 1e-5f;
constexpr std::size_t kEvaluatedRows = 32;  // rows of one forward pass that only evaluates
constexpr std::size_t kStages = 4;

enum class Mode { train, evaluate };

template <typename T>
class FusedResNet18 final : public Network {
 public:
  FusedResNet18(FusedResNet18Options options, std::span<const float> parameters)
      : FusedResNet18(std::move(options)) {
    set_parameters(parameters);
    for (const ResNetUnit& unit : layout_.units)  // the variances
      std::fill_n(statistics_.data() + unit.statistics + unit.shape.outputs, unit.out, 1.0f);
  }

  std::unique_ptr<Network> clone() const override {
    std::unique_ptr<FusedResNet18> copy(new FusedResNet18(options_));
    copy->theta_ = theta_;
    copy->gradient_ = gradient_;
    copy->statistics_ = statistics_;
    copy->logits_ = logits_;
    return copy;
  }

  std::size_t inputs() const override { return options_.shape.bytes(); }
  std::size_t classes() const override { return layout_.classes; }
  std::size_t feature_size() const override { return layout_.features; }

  void logits(ImageRows images, std::span<float> out) override {
    in_chunks(images, [&](std::size_t first, std::size_t rows) {
      for (std::size_t r = 0; r < rows; ++r)
        std::copy_n(logits_.data() + r * class_stride(), classes(),
                    out.data() + (first + r) * classes());
    });
  }
  void features(ImageRows images, std::span<float> out) override {
    in_chunks(images, [&](std::size_t first, std::size_t rows) {
      for (std::size_t r = 0; r < rows; ++r)
        std::copy_n(features_.data() + r * layout_.feature_stride, feature_size(),
                    out.data() + (first + r) * feature_size());
    });
  }

  double accumulate(ImageRows images, std::span<const LossTerm> terms) override {
    if (gradient_.empty()) gradient_ = AlignedFloats(theta_.size());
    forward(images, Mode::train);
    const double total = loss(images.size(), terms);
    backward(images.size(), Mode::train, 1, gradient_.data());
    return total;
  }

  double gradients(ImageRows images, std::span<const LossTerm> terms,
                   ExampleGradients& out) override {
    auto& gradients = dynamic_cast<DenseGradients&>(out);
    gradients.clear();
    forward(images, Mode::train);
    const double total = loss(images.size(), terms);
    std::vector<float> gradient(theta_.size());
    backward(images.size(), Mode::train, 1, gradient.data());
    gradients.add(std::move(gradient));
    return total;
  }

  void training_logits(ImageRows images, std::span<float> out) override {
    const AlignedFloats statistics = statistics_;
    forward(images, Mode::train);
    statistics_ = statistics;
    for (std::size_t r = 0; r < images.size(); ++r)
      std::copy_n(logits_.data() + r * class_stride(), classes(), out.data() + r * classes());
  }

  double step(ImageRows images, std::span<const LossTerm> terms, float learning_rate) override {
    forward(images, Mode::train);
    const double total = loss(images.size(), terms);
    backward(images.size(), Mode::train, -learning_rate, theta_.data());
    return total;
  }

  void descend(float learning_rate) override {
    if (gradient_.empty()) return;
    for (std::size_t k = 0; k < theta_.size(); ++k) theta_[k] -= learning_rate * gradient_[k];
    gradient_.clear();
    is_packed_ = false;
  }

  std::span<const float> row_logits(std::size_t row) const override {
    return {logits_.data() + row * class_stride(), classes()};
  }

  std::unique_ptr<ExampleGradients> no_gradients() const override {
    return std::make_unique<DenseGradients>();
  }

  // One row at a time, each with its share of the errors of all.
  double example_gradients(ImageRows images, std::span<const LossTerm> terms,
                           ExampleGradients& out) override {
    auto& gradients = dynamic_cast<DenseGradients&>(out);
    gradients.clear();
    forward(images, Mode::evaluate);
    const double total = loss(images.size(), terms);
    const AlignedFloats logits = logits_;
    const AlignedFloats errors = errors_;
    const AlignedFloats feature_errors = feature_errors_;
    for (std::size_t r = 0; r < images.size(); ++r) {
      forward(images.subspan(r, 1), Mode::evaluate);
      std::copy_n(errors.data() + r * class_stride(), class_stride(), errors_.data());
      std::copy_n(feature_errors.data() + r * layout_.feature_stride, layout_.feature_stride,
                  feature_errors_.data());
      std::vector<float> gradient(theta_.size());
      backward(1, Mode::evaluate, 1, gradient.data());
      gradients.add(std::move(gradient));
    }
    logits_ = logits;
    return total;
  }

  double input_gradient(std::span<const float> images, std::span<const LossTerm> terms,
                        std::span<float> out) override {
    const std::size_t rows = images.size() / inputs();
    reserve(rows);
    for (std::size_t r = 0; r < rows; ++r) {
      const float* image = images.data() + r * inputs();
      unfold(r, [image](std::size_t k) { return image[k]; });
    }
    forward_unfolded(rows, Mode::evaluate);
    const double total = loss(rows, terms);
    backward(rows, Mode::evaluate, 0, nullptr);
    fold_errors(rows, out);
    return total;
  }

  std::span<float> weights() override {
    is_packed_ = false;  // whoever asks may change them
    return theta_;
  }

  std::vector<float> parameters() const override { return flatten(theta_); }
  std::vector<float> gradient() const override {
    return gradient_.empty() ? std::vector<float>(layout_.parameters()) : flatten(gradient_);
  }
  void set_parameters(std::span<const float> values) override {
    assert(values.size() == layout_.parameters());
    std::size_t at = 0;
    layout_.for_each_parameter([&](std::size_t k) { theta_[k] = values[at++]; });
    is_packed_ = false;
  }

  NamedTensors tensors() const override {
    NamedTensors all = layout_.names();
    const std::vector<float> values = state();
    auto from = values.begin();
    for (NamedTensor& tensor : all) {
      const auto size = std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::ptrdiff_t{1},
                                        std::multiplies<>());
      tensor.values.assign(from, from + size);
      from += size;
    }
    return all;
  }

  const FusedResNet18Options& options() const { return options_; }

  std::vector<float> state() const override {
    std::vector<float> values = parameters();
    layout_.for_each_statistic([&](std::size_t k) { values.push_back(statistics_[k]); });
    return values;
  }
  void set_state(std::span<const float> values) override {
    std::size_t at = layout_.parameters();
    set_parameters(values.first(at));
    layout_.for_each_statistic([&](std::size_t k) { statistics_[k] = values[at++]; });
    assert(at == values.size());
  }

 private:
  // A convolution and its batch normalisation, between forward and backward.
  struct Unit {
    explicit Unit(const ResNetUnit& unit)
        : place(unit),
          forward(unit.shape),
          backward(unit.shape),
          mean(unit.shape.outputs),
          deviation(unit.shape.outputs),
          scale(unit.shape.outputs),
          shift(unit.shape.outputs) {}
    const ResNetUnit& place;
    PackedWeights<T> forward;
    PackedWeights<T> backward;
    PixelBuffer<T> out;       // before the normalisation
    AlignedFloats mean;       // that it was normalised with
    AlignedFloats deviation;  // 1 / sqrt(variance + ε)
    AlignedFloats scale;      // what the two and its parameters come to
    AlignedFloats shift;
  };
  struct Block {
    PixelBuffer<T> hidden;
    PixelBuffer<T> out;
    std::array<PixelBuffer<T>, kPhases> phases;  // of its input, where it halves that
  };
  // What goes backward, by stage.
  struct Errors {
    PixelBuffer<T> out;  // of a block
    PixelBuffer<T> hidden;
    PixelBuffer<T> raw;       // of a convolution's output; zero between pixels
    PixelBuffer<T> shortcut;  // likewise
    PixelBuffer<T> phase;
  };
  using Sources = std::array<const T*, kPhases>;

  explicit FusedResNet18(FusedResNet18Options options)
      : options_(std::move(options)),
        layout_(options_.shape, options_.classes, options_.width),
        theta_(layout_.size),
        statistics_(layout_.statistics_size),
        ones_(layout_.feature_stride),
        zeros_(layout_.feature_stride) {
    simd_target();  // throws if $GPSCL_SIMD is wrong
    std::ranges::fill(std::span<float>(ones_), 1.0f);
    for (const ResNetUnit& unit : layout_.units) {
      units_.emplace_back(unit);
      largest_ = std::max(largest_, unit.shape.outputs);
    }
    blocks_.resize(layout_.blocks.size());
    for (AlignedFloats& values : channel_) values = AlignedFloats(largest_);
  }

  std::size_t class_stride() const { return padded(layout_.classes); }
  const ImageGrid& stage_grid(std::size_t stage) const { return last_unit(stage).grid; }
  const ResNetUnit& last_unit(std::size_t stage) const {
    return layout_.units[layout_.blocks[2 * stage + 1].second];
  }
  Pixels pixels_of(const ResNetUnit& unit, std::size_t rows) const {
    return {unit.grid, rows, unit.shape.outputs};
  }

  void reserve(std::size_t rows) {
    if (rows <= reserved_) return;
    reserved_ = rows;
    const ResNetUnit& stem = layout_.units[0];
    columns_ = PixelBuffer<T>(stem.grid, stem.shape.inputs, rows);
    stem_ = PixelBuffer<T>(stem.grid, stem.shape.outputs, rows);
    for (Unit& unit : units_)
      unit.out = PixelBuffer<T>(unit.place.grid, unit.place.shape.outputs, rows);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const ResNetUnit& first = layout_.units[layout_.blocks[b].first];
      blocks_[b].hidden = PixelBuffer<T>(first.grid, first.shape.outputs, rows);
      blocks_[b].out = PixelBuffer<T>(first.grid, first.shape.outputs, rows);
      if (!layout_.blocks[b].halves()) continue;
      for (PixelBuffer<T>& phase : blocks_[b].phases)
        phase = PixelBuffer<T>(first.grid, first.shape.inputs, rows);
    }
    features_ = AlignedFloats(rows * layout_.feature_stride);
    feature_errors_ = AlignedFloats(rows * layout_.feature_stride);
    logits_ = AlignedFloats(rows * class_stride());
    errors_ = AlignedFloats(rows * class_stride());
  }

  void reserve_backward(std::size_t rows) {
    if (rows <= reserved_backward_) return;
    reserved_backward_ = rows;
    for (std::size_t s = 0; s < kStages; ++s) {
      const ResNetUnit& unit = last_unit(s);
      const auto buffer = [&](std::size_t channels) {
        return PixelBuffer<T>(unit.grid, channels, rows);
      };
      const std::size_t in = layout_.units[layout_.blocks[2 * s].first].shape.inputs;
      errors_by_stage_[s] = {buffer(unit.shape.outputs),
                             buffer(unit.shape.outputs),
                             buffer(unit.shape.outputs),
                             {},
                             {}};
      if (s == 0) continue;
      errors_by_stage_[s].shortcut = buffer(unit.shape.outputs);
      errors_by_stage_[s].phase = buffer(in);
    }
  }

  void pack(Unit& unit) {
    unit.forward.pack(theta_.data() + unit.place.weights);
    unit.backward.pack_transposed(theta_.data() + unit.place.weights);
  }

  // Writes the 3 x 3 surroundings of every pixel of an image as channels; value(k) is its k-th one.
  template <typename Value>
  void unfold(std::size_t row, const Value& value) {
    const ResNetUnit& stem = layout_.units[0];
    const ImageGrid& grid = stem.grid;
    for (std::size_t c = 0; c < stem.in; ++c) {
      const auto [mean, deviation] = normalisation(c);
      for (std::size_t y = 0; y < grid.height; ++y) {
        for (std::size_t x = 0; x < grid.width; ++x) {
          const T v =
              rounded_to<T>((value((c * grid.height + y) * grid.width + x) - mean) / deviation);
          // The pixel is tap (down, right) of its neighbours above and to the left by that much.
          for (std::size_t down = 0; down < 3; ++down) {
            for (std::size_t right = 0; right < 3; ++right) {
              const std::size_t to_y = y + 1 - down;
              const std::size_t to_x = x + 1 - right;
              if (to_y >= grid.height || to_x >= grid.width) continue;
              columns_.data()[grid.position(row, to_y, to_x) * stem.shape.inputs + c * 9 +
                              down * 3 + right] = v;
            }
          }
        }
      }
    }
  }

  // The reverse, for errors.
  void fold_errors(std::size_t rows, std::span<float> out) {
    Unit& stem = units_[0];
    const ResNetUnit& place = stem.place;
    PixelBuffer<T> errors(place.grid, place.shape.inputs, rows);
    const Tap<T> tap{errors_by_stage_[0].raw.data(), stem.backward.tap(0)};
    shifted_products<T>(std::span(&tap, 1), rows * place.grid.area(), place.shape.outputs,
                        place.shape.inputs, errors.data());
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
            out[r * inputs() + (c * place.grid.height + y) * place.grid.width + x] =
                sum / deviation;
          }
        }
      }
    }
  }

  std::pair<float, float> normalisation(std::size_t channel) const {
    const Normalisation& n = options_.normalisation;
    return n.mean.empty() ? std::pair(0.0f, 1.0f)
                          : std::pair(n.mean[channel], n.deviation[channel]);
  }

  void forward(ImageRows images, Mode mode) {
    reserve(images.size());
    for (std::size_t r = 0; r < images.size(); ++r) {
      const std::uint8_t* image = images[r];
      unfold(r, [image](std::size_t k) { return static_cast<float>(image[k]) / 255.0f; });
    }
    forward_unfolded(images.size(), mode);
  }

  void forward_unfolded(std::size_t rows, Mode mode) {
    if (!is_packed_) {
      for (Unit& unit : units_) pack(unit);
      is_packed_ = true;
    }
    Unit& stem = units_[0];
    convolve(stem, {columns_.data()}, rows);
    const kernels::Branch<T> normalised = normalise(stem, rows, mode);
    kernels_.rectified_sum(pixels_of(stem.place, rows), normalised, {}, stem_.data());
    const T* in = stem_.data();
    for (std::size_t b = 0; b < blocks_.size(); ++b) in = forward(b, in, rows, mode);
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

  const T* forward(std::size_t b, const T* in, std::size_t rows, Mode mode) {
    const ResNetBlock& place = layout_.blocks[b];
    Block& block = blocks_[b];
    Unit& first = units_[place.first];
    Unit& second = units_[place.second];
    const Pixels pixels = pixels_of(first.place, rows);
    const Sources sources = sources_of(b, in, rows, /*split=*/true);
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

  // What the first convolution of a block reads: its input, or the phases of that.
  Sources sources_of(std::size_t b, const T* in, std::size_t rows, bool split) {
    const ResNetBlock& place = layout_.blocks[b];
    if (!place.halves()) return {in};
    Sources sources{};
    for (std::size_t k = 0; k < kPhases; ++k) {
      T* phase = blocks_[b].phases[k].data();
      sources[k] = phase;
      if (!split) continue;
      for_each_of_phase(place.stage, k, rows, [&](std::size_t from, std::size_t to, std::size_t n) {
        std::copy_n(in + from, n, phase + to);
      });
    }
    return sources;
  }

  // Calls visit(offset in the input of a stage, offset in a phase of it, channels) for each pixel.
  template <typename Visit>
  void for_each_of_phase(std::size_t stage, std::size_t phase, std::size_t rows,
                         const Visit& visit) const {
    const ImageGrid& whole = stage_grid(stage - 1);
    const ImageGrid& half = stage_grid(stage);
    const std::size_t channels = last_unit(stage - 1).shape.outputs;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t y = phase / 2; y < whole.height; y += 2) {
        for (std::size_t x = phase % 2; x < whole.width; x += 2)
          visit(whole.position(r, y, x) * channels, half.position(r, y / 2, x / 2) * channels,
                channels);
      }
    }
  }

  void convolve(Unit& unit, const Sources& sources, std::size_t rows) {
    const WeightShape& shape = unit.place.shape;
    std::array<Tap<T>, 9> taps;
    std::size_t count = 0;
    for (const TapPlace& tap : unit.place.taps)
      taps[count++] = {shifted(sources[tap.phase], tap.shift, shape.inputs),
                       unit.forward.tap(tap.tap)};
    shifted_products<T>(std::span(taps).first(count), rows * unit.place.grid.area(), shape.inputs,
                        shape.outputs, unit.out.data());
  }

  static const T* shifted(const T* values, std::ptrdiff_t shift, std::size_t channels) {
    return values + shift * static_cast<std::ptrdiff_t>(channels);
  }

  // The output of a unit as its batch normalisation makes it.
  kernels::Branch<T> normalise(Unit& unit, std::size_t rows, Mode mode) {
    const Pixels pixels = pixels_of(unit.place, rows);
    float* running_mean = statistics_.data() + unit.place.statistics;
    float* running_variance = running_mean + pixels.channels;
    const float* variance = running_variance;
    if (mode == Mode::train) {
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

  // The sum of the terms, and the errors of logits and features.
  double loss(std::size_t rows, std::span<const LossTerm> terms) {
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

  // to += factor · gradient, where `to` may be θ itself, or nothing. Leaves the errors of the first
  // convolution's output.
  void backward(std::size_t rows, Mode mode, float factor, float* to) {
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
    for (std::size_t b = blocks_.size(); b-- > 0;) more = backward(b, more, gradient);

    Unit& stem = units_[0];
    Errors& errors = errors_by_stage_[0];
    normalise_backward(stem, more, stem_.data(), errors.out.data(), gradient, errors.raw.data());
    learn(stem, {columns_.data()}, errors.raw.data(), gradient);
  }

  struct Gradient {
    std::size_t rows;
    Mode mode;
    float factor;
    float* to;
  };

  // From the errors of a block's output, of which `more` is a part (or nothing), to those of its
  // input, in the same place or in that of the stage before; returns the other part of these.
  const T* backward(std::size_t b, const T* more, const Gradient& gradient) {
    const ResNetBlock& place = layout_.blocks[b];
    Block& block = blocks_[b];
    Unit& first = units_[place.first];
    Unit& second = units_[place.second];
    Errors& errors = errors_by_stage_[place.stage];
    const std::size_t rows = gradient.rows;
    const T* in = b == 0 ? stem_.data() : blocks_[b - 1].out.data();
    const Sources sources = sources_of(b, in, rows, /*split=*/false);

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
        for_each_of_phase(place.stage, k, rows,
                          [&](std::size_t to, std::size_t from, std::size_t n) {
                            std::copy_n(phase + from, n, out + to);
                          });
      }
      learn(shortcut, sources, errors.shortcut.data(), gradient);
    }
    learn(first, sources, errors.raw.data(), gradient);
    return place.halves() ? nullptr : errors.hidden.data();
  }

  // The errors of a convolution's input, or of one phase of it, from those of its output; `other`
  // is a unit with the same input.
  void propagate(const Unit& unit, const T* errors, const Unit* other, const T* other_errors,
                 std::size_t phase, std::size_t rows, T* out) {
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
    shifted_products<T>(std::span(taps).first(count), rows * unit.place.grid.area(), channels,
                        unit.place.shape.inputs, out);
  }

  // Back through ReLU (see gradient_sums), and from the errors of a unit's normalised output to
  // those of its convolution's output:
  //   scale / deviation · (e - mean e - x mean(e x)),   x = (output - mean) / deviation,
  // where the means are zero if the statistics are not the batch's.
  void normalise_backward(Unit& unit, const T* more, const T* outputs, T* errors,
                          const Gradient& gradient, T* out) {
    const Pixels pixels = pixels_of(unit.place, gradient.rows);
    auto& [sum, centred_sum, value_factor, shift] = channel_;
    kernels_.gradient_sums(pixels, more, outputs, errors, unit.out.data(), unit.mean.data(),
                           sum.data(), centred_sum.data());
    const auto count = static_cast<float>(pixels.count());
    for (std::size_t c = 0; c < pixels.channels; ++c) {
      value_factor[c] = 0;
      shift[c] = 0;
      if (gradient.mode == Mode::train) {
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

  // Adds the gradient of a convolution's weights, whose copies follow if they are θ's.
  void learn(Unit& unit, const Sources& sources, const T* errors, const Gradient& gradient) {
    if (gradient.to == nullptr) return;
    const WeightShape& shape = unit.place.shape;
    std::array<GradientTap<T>, 9> taps;
    std::size_t count = 0;
    for (const TapPlace& tap : unit.place.taps)
      taps[count++] = {sources[tap.phase], tap.shift,
                       gradient.to + unit.place.weights + tap.tap * shape.tap_size()};
    add_shifted_outer_products<T>(std::span(taps).first(count),
                                  gradient.rows * unit.place.grid.area(), shape.inputs,
                                  shape.outputs, errors, gradient.factor, scratch_);
    if (gradient.to == theta_.data()) pack(unit);
  }

  // Calls use(first row, rows) after the forward pass of each chunk of the images.
  template <typename Use>
  void in_chunks(ImageRows images, const Use& use) {
    for (std::size_t first = 0; first < images.size(); first += kEvaluatedRows) {
      const ImageRows chunk =
          images.subspan(first, std::min(kEvaluatedRows, images.size() - first));
      forward(chunk, Mode::evaluate);
      use(first, chunk.size());
    }
  }

  std::vector<float> flatten(const AlignedFloats& values) const {
    std::vector<float> flat;
    flat.reserve(layout_.parameters() + layout_.statistics_size);
    layout_.for_each_parameter([&](std::size_t k) { flat.push_back(values[k]); });
    return flat;
  }

  FusedResNet18Options options_;
  ResNet18Layout layout_;
  AlignedFloats theta_;
  AlignedFloats statistics_;
  AlignedFloats gradient_;  // empty until it is needed
  AlignedFloats ones_;
  AlignedFloats zeros_;
  const kernels::PixelFunctions<T>& kernels_ = kernels::pixel_functions<T>();

  std::vector<Unit> units_;
  std::vector<Block> blocks_;
  std::array<Errors, kStages> errors_by_stage_;
  PixelBuffer<T> columns_;  // the images, unfolded
  PixelBuffer<T> stem_;
  AlignedFloats features_;                // [rows][feature_stride]
  AlignedFloats feature_errors_;          // likewise
  AlignedFloats logits_;                  // [rows][class_stride]
  AlignedFloats errors_;                  // likewise
  std::array<AlignedFloats, 4> channel_;  // scratch, one value a channel
  AlignedFloats scratch_;
  std::size_t largest_ = 0;
  std::size_t reserved_ = 0;
  std::size_t reserved_backward_ = 0;
  bool is_packed_ = false;
};

}  // namespace

std::size_t fused_resnet18_parameters(const FusedResNet18Options& options) {
  return ResNet18Layout(options.shape, options.classes, options.width).parameters();
}

std::unique_ptr<Network> make_fused_resnet18(const FusedResNet18Options& options,
                                             std::span<const float> parameters) {
  const std::size_t wanted = fused_resnet18_parameters(options);
  if (parameters.size() != wanted) {
    throw UsageError("a ResNet18 of this shape has " + std::to_string(wanted) +
                     " parameters, got " + std::to_string(parameters.size()));
  }
  const auto channels = static_cast<std::size_t>(options.shape.channels);
  const Normalisation& n = options.normalisation;
  if (n.mean.size() != n.deviation.size() || (!n.mean.empty() && n.mean.size() != channels)) {
    throw UsageError("a normalisation of images with " + std::to_string(channels) +
                     " channels needs as many means and deviations, got " +
                     std::to_string(n.mean.size()) + " and " + std::to_string(n.deviation.size()));
  }
  if (options.precision == Precision::bf16) {
    return std::make_unique<FusedResNet18<Bf16>>(options, parameters);
  }
  return std::make_unique<FusedResNet18<float>>(options, parameters);
}

std::unique_ptr<Network> make_fused_resnet18(const FusedResNet18Options& options, const Rng& rng) {
  const ResNet18Layout layout(options.shape, options.classes, options.width);
  std::vector<float> parameters;
  int drawn = 0;
  const auto draw = [&](std::size_t count, std::size_t inputs) {
    Rng stream = rng.fork("parameter", drawn++);
    const double bound = 1 / std::sqrt(static_cast<double>(inputs));
    for (std::size_t k = 0; k < count; ++k)
      parameters.push_back(static_cast<float>(bound * (2 * stream.uniform() - 1)));
  };
  for (const ResNetUnit& unit : layout.units) {
    const std::size_t inputs = unit.in * unit.kernel * unit.kernel;
    draw(unit.out * inputs, inputs);
    parameters.insert(parameters.end(), unit.out, 1.0f);
    parameters.insert(parameters.end(), unit.out, 0.0f);
  }
  draw(layout.classes * layout.features, layout.features);
  draw(layout.classes, layout.features);
  return make_fused_resnet18(options, parameters);
}

const FusedResNet18Options* fused_resnet18_options(const Network& network) {
  if (const auto* fp32 = dynamic_cast<const FusedResNet18<float>*>(&network))
    return &fp32->options();
  if (const auto* bf16 = dynamic_cast<const FusedResNet18<Bf16>*>(&network))
    return &bf16->options();
  return nullptr;
}

}  // namespace gps
