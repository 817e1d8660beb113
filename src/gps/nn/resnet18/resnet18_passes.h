// The forward and the backward pass of fused_resnet18.h, and the data that they work on: θ, the
// running statistics, and buffers that are kept from step to step. Only one thread at a time may
// use an object.
//
// A pass processes the rows of a batch. forward() computes logits and features, loss() the errors
// of both, and backward() the gradient of θ. Grids and PixelBuffer come from image_grid.h,
// convolutions from winograd.h and shifted_products.h, and everything between them from
// pixel_kernels.h.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "gps/data/dataset.h"
#include "gps/data/normalisation.h"
#include "gps/nn/aligned_floats.h"
#include "gps/nn/network.h"
#include "gps/nn/resnet18/fused_resnet18.h"
#include "gps/nn/resnet18/pixel_kernels.h"
#include "gps/nn/resnet18/resnet18_layout.h"
#include "gps/nn/resnet18/winograd.h"

namespace gps {

// In `train`, batch normalisation uses the statistics of the batch and updates the running ones
// with them. In `evaluate`, it uses the running statistics.
enum class PassMode { train, evaluate };

// T is the type of pixels and of the weights of convolutions: float or Bf16.
template <typename T>
class ResNet18Passes {
 public:
  // θ and all statistics are initially zero. Throws UsageError if $GPSCL_SIMD is invalid.
  explicit ResNet18Passes(const FusedResNet18Options& options);
  ResNet18Passes(const ResNet18Passes&) = delete;
  ResNet18Passes& operator=(const ResNet18Passes&) = delete;

  const ResNet18Layout& layout() const { return layout_; }
  std::size_t inputs() const { return options_.shape.bytes(); }
  std::size_t classes() const { return layout_.classes; }
  std::size_t feature_size() const { return layout_.features; }
  std::size_t class_stride() const { return padded(layout_.classes); }

  const AlignedFloats& theta() const { return theta_; }
  // Returns θ to be changed. The copies that convolutions use are rebuilt before the next pass.
  AlignedFloats& changed_theta() {
    is_packed_ = false;
    return theta_;
  }
  AlignedFloats& statistics() { return statistics_; }
  const AlignedFloats& statistics() const { return statistics_; }

  void forward(ImageRows images, PassMode mode);
  // The same in PassMode::evaluate for images as floats: [rows][inputs], where 1 is a white pixel.
  void forward_values(std::span<const float> images);

  // The results of the last forward pass: [rows][class_stride] and [rows][feature_stride].
  AlignedFloats& logits() { return logits_; }
  const AlignedFloats& logits() const { return logits_; }
  const AlignedFloats& features() const { return features_; }

  // Returns the sum of the terms for the last forward pass, which had `rows` rows. Computes the
  // errors (∂loss/∂) of logits and features, in the same layout.
  double loss(std::size_t rows, std::span<const LossTerm> terms);
  AlignedFloats& errors() { return errors_; }
  AlignedFloats& feature_errors() { return feature_errors_; }

  // Adds factor · gradient to `to`, which has the layout of θ; null: only propagates the errors.
  // Leaves the errors of the first convolution's output. REQUIRES: the errors belong to the rows of
  // the last forward pass, which had the same mode.
  void backward(std::size_t rows, PassMode mode, float factor, float* to);
  // The same with θ itself as `to`: one step of gradient descent.
  void descend(std::size_t rows, float learning_rate) {
    backward(rows, PassMode::train, -learning_rate, theta_.data());
  }
  // After backward(), with or without `to`: writes the errors of the images, [rows][inputs].
  void input_errors(std::size_t rows, std::span<float> out);

 private:
  // A convolution and its batch normalisation, with the values that backward() needs from
  // forward().
  struct Unit {
    explicit Unit(const ResNetUnit& unit)
        : place(unit),
          is_winograd(unit.kernel == 3 && unit.stride == 1 && !unit.is_unfolded &&
                      winograd_is_faster<T>()),
          forward(is_winograd ? WeightShape{} : unit.shape),
          backward(is_winograd ? WeightShape{} : unit.shape),
          mean(unit.shape.outputs),
          deviation(unit.shape.outputs),
          scale(unit.shape.outputs),
          shift(unit.shape.outputs) {}
    const ResNetUnit& place;
    bool is_winograd;
    PackedWeights<T> forward;  // for shifted products
    PackedWeights<T> backward;
    PixelBuffer<T> out;       // before the normalisation
    AlignedFloats mean;       // used for the normalisation
    AlignedFloats deviation;  // 1 / sqrt(variance + ε)
    AlignedFloats scale;      // scale, shift: mean, deviation and parameters combined
    AlignedFloats shift;
  };
  struct Block {
    PixelBuffer<T> hidden;
    PixelBuffer<T> out;
    std::array<PixelBuffer<T>, kPhases> phases;  // of its input, if it halves the image
  };
  // The errors of one stage in the backward pass.
  struct Errors {
    PixelBuffer<T> out;  // of a block's output
    PixelBuffer<T> hidden;
    PixelBuffer<T> raw;       // of a convolution's output; zero between pixels
    PixelBuffer<T> shortcut;  // likewise
    PixelBuffer<T> phase;
  };
  using Sources = std::array<const T*, kPhases>;
  static constexpr std::size_t kStages = 4;
  // The target of a backward pass.
  struct Gradient {
    std::size_t rows;
    PassMode mode;
    float factor;
    float* to;  // null: no gradient is computed
  };

  const ImageGrid& stage_grid(std::size_t stage) const { return last_unit(stage).grid; }
  const ResNetUnit& last_unit(std::size_t stage) const {
    return layout_.units[layout_.blocks[2 * stage + 1].second];
  }
  PixelRows pixels_of(const ResNetUnit& unit, std::size_t rows) const {
    return {unit.grid, rows, unit.shape.outputs};
  }
  std::pair<float, float> normalisation(std::size_t channel) const {
    const Normalisation& n = options_.normalisation;
    return n.mean.empty() ? std::pair(0.0f, 1.0f)
                          : std::pair(n.mean[channel], n.deviation[channel]);
  }
  static WinogradShape winograd_shape(const ResNetUnit& unit, std::size_t rows) {
    return {unit.grid, rows, unit.shape, unit.in, unit.out};
  }
  static ShiftedShape shifted_shape(const ResNetUnit& unit, std::size_t rows) {
    const std::size_t places = unit.is_unfolded ? unit.kernel * unit.kernel : 1;
    return {unit.grid, rows, unit.shape.inputs, unit.shape.outputs, unit.in * places, unit.out};
  }
  static const T* shifted(const T* values, std::ptrdiff_t shift, std::size_t channels) {
    return values + shift * static_cast<std::ptrdiff_t>(channels);
  }
  // Returns what the first convolution of a block reads: the block's input, or the phases into
  // which the input was divided.
  Sources sources_of(std::size_t b, const T* in) const {
    if (!layout_.blocks[b].halves()) return {in};
    Sources sources{};
    for (std::size_t k = 0; k < kPhases; ++k) sources[k] = blocks_[b].phases[k].data();
    return sources;
  }
  // Calls visit(offset in the input of a stage, offset in the phase, channels) for each pixel of
  // the phase.
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

  void reserve(std::size_t rows);
  void reserve_backward(std::size_t rows);
  void pack(Unit& unit);

  // Writes the 3 x 3 neighbourhood of every pixel of an image as channels; value(k) is the image's
  // k-th value.
  template <typename Value>
  void unfold(std::size_t row, const Value& value);
  void forward_unfolded(std::size_t rows, PassMode mode);
  const T* forward_block(std::size_t b, const T* in, std::size_t rows, PassMode mode);
  void divide_into_phases(std::size_t b, const T* in, std::size_t rows);
  void convolve(Unit& unit, const Sources& sources, std::size_t rows);
  // Returns the output of a unit with the scale and shift of its batch normalisation.
  kernels::Branch<T> normalise(Unit& unit, std::size_t rows, PassMode mode);

  // Computes the errors of a block's input from those of its output. The errors of the output are
  // the sum of Errors::out of the stage and of `more`, if not null. The errors of the input are the
  // sum of Errors::out (of the stage before, if the block halves the image) and of the result, if
  // not null.
  const T* backward_block(std::size_t b, const T* more, const Gradient& gradient);
  // Computes the errors of a convolution's input, or of one phase of it, from those of its output.
  // `other`, if not null, is a unit with the same input, whose part is added.
  void propagate(const Unit& unit, const T* errors, const Unit* other, const T* other_errors,
                 std::size_t phase, std::size_t rows, T* out);
  // Goes back through ReLU (see gradient_sums), and from the errors e of a unit's normalised output
  // to those of its convolution's output:
  //   γ / σ · (e - mean e - x mean(e x)),   x = (output - mean) / σ,   σ = sqrt(variance + ε),
  // where γ is the scale parameter. The two means are zero if the statistics are not the batch's.
  void normalise_backward(Unit& unit, const T* more, const T* outputs, T* errors,
                          const Gradient& gradient, T* out);
  // Adds the gradient of a convolution's weights. If it goes into θ, also updates the packed copies
  // of the weights.
  void learn(Unit& unit, const Sources& sources, const T* errors, const Gradient& gradient);

  FusedResNet18Options options_;
  ResNet18Layout layout_;
  AlignedFloats theta_;
  AlignedFloats statistics_;
  AlignedFloats ones_;
  AlignedFloats zeros_;
  const kernels::PixelFunctions<T>& kernels_ = kernels::pixel_functions<T>();

  std::vector<Unit> units_;
  std::vector<Block> blocks_;
  std::array<Errors, kStages> errors_by_stage_;
  PixelBuffer<T> columns_;  // the unfolded images
  PixelBuffer<T> stem_;
  AlignedFloats features_;                // [rows][feature_stride]
  AlignedFloats feature_errors_;          // likewise
  AlignedFloats logits_;                  // [rows][class_stride]
  AlignedFloats errors_;                  // likewise
  std::array<AlignedFloats, 4> channel_;  // scratch, one value per channel
  AlignedFloats scratch_;
  std::size_t largest_ = 0;
  std::size_t reserved_ = 0;
  std::size_t reserved_backward_ = 0;
  bool is_packed_ = false;
};

}  // namespace gps
