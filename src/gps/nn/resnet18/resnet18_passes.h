// The forward and the backward pass of fused_resnet18.h, and all that they work on: θ, the running
// statistics, and buffers that are kept from step to step. One object is used by one thread at a
// time.
//
// A pass takes rows of a batch. forward() leaves logits and features, loss() the errors of both,
// backward() the gradient of θ. PixelBuffer and the grid of an image are those of image_grid.h,
// convolutions those of shifted_products.h, all between them that of pixel_kernels.h.
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

namespace gps {

// Whether batch normalisation uses the statistics of the batch, and updates the running ones with
// them, or the running ones.
enum class PassMode { train, evaluate };

// T: of pixels and of the weights of convolutions, float or Bf16.
template <typename T>
class ResNet18Passes {
 public:
  // θ and all statistics are zero. Throws UsageError if $GPSCL_SIMD is wrong.
  explicit ResNet18Passes(const FusedResNet18Options& options);
  ResNet18Passes(const ResNet18Passes&) = delete;
  ResNet18Passes& operator=(const ResNet18Passes&) = delete;

  const ResNet18Layout& layout() const { return layout_; }
  std::size_t inputs() const { return options_.shape.bytes(); }
  std::size_t classes() const { return layout_.classes; }
  std::size_t feature_size() const { return layout_.features; }
  std::size_t class_stride() const { return padded(layout_.classes); }

  const AlignedFloats& theta() const { return theta_; }
  // To be changed: the copies of it that convolutions use are made anew before the next pass.
  AlignedFloats& changed_theta() {
    is_packed_ = false;
    return theta_;
  }
  AlignedFloats& statistics() { return statistics_; }
  const AlignedFloats& statistics() const { return statistics_; }

  void forward(ImageRows images, PassMode mode);
  // The same in PassMode::evaluate for images as numbers: [rows][inputs], 1 for a white pixel.
  void forward_values(std::span<const float> images);

  // Of the last forward pass: [rows][class_stride] and [rows][feature_stride].
  AlignedFloats& logits() { return logits_; }
  const AlignedFloats& logits() const { return logits_; }
  const AlignedFloats& features() const { return features_; }

  // The sum of the terms over the last forward pass, of so many rows; leaves the errors (∂loss/∂)
  // of logits and features, likewise by rows.
  double loss(std::size_t rows, std::span<const LossTerm> terms);
  AlignedFloats& errors() { return errors_; }
  AlignedFloats& feature_errors() { return feature_errors_; }

  // Adds factor · gradient to `to`, which has the layout of θ. Leaves the errors of the first
  // convolution's output. REQUIRES: errors for the rows of the last forward pass, in that mode.
  void backward(std::size_t rows, PassMode mode, float factor, float* to);
  // The same into θ itself: one step of gradient descent.
  void descend(std::size_t rows, float learning_rate) {
    backward(rows, PassMode::train, -learning_rate, theta_.data());
  }
  // After backward(), with or without `to`: the errors of the images, [rows][inputs].
  void input_errors(std::size_t rows, std::span<float> out);

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
  static constexpr std::size_t kStages = 4;
  // Where the gradient of a backward pass goes.
  struct Gradient {
    std::size_t rows;
    PassMode mode;
    float factor;
    float* to;  // null: nowhere
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
  static const T* shifted(const T* values, std::ptrdiff_t shift, std::size_t channels) {
    return values + shift * static_cast<std::ptrdiff_t>(channels);
  }
  // What the first convolution of a block reads: its input, or the phases into which that was
  // divided.
  Sources sources_of(std::size_t b, const T* in) const {
    if (!layout_.blocks[b].halves()) return {in};
    Sources sources{};
    for (std::size_t k = 0; k < kPhases; ++k) sources[k] = blocks_[b].phases[k].data();
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

  void reserve(std::size_t rows);
  void reserve_backward(std::size_t rows);
  void pack(Unit& unit);

  // Writes the 3 x 3 surroundings of every pixel of an image as channels; value(k) is its k-th one.
  template <typename Value>
  void unfold(std::size_t row, const Value& value);
  void forward_unfolded(std::size_t rows, PassMode mode);
  const T* forward_block(std::size_t b, const T* in, std::size_t rows, PassMode mode);
  void divide_into_phases(std::size_t b, const T* in, std::size_t rows);
  void convolve(Unit& unit, const Sources& sources, std::size_t rows);
  // The output of a unit as its batch normalisation makes it.
  kernels::Branch<T> normalise(Unit& unit, std::size_t rows, PassMode mode);

  // From the errors of a block's output, of which `more` is a part (or nothing), to those of its
  // input, in the same place or in that of the stage before; returns the other part of these.
  const T* backward_block(std::size_t b, const T* more, const Gradient& gradient);
  // The errors of a convolution's input, or of one phase of it, from those of its output; `other`
  // is a unit with the same input.
  void propagate(const Unit& unit, const T* errors, const Unit* other, const T* other_errors,
                 std::size_t phase, std::size_t rows, T* out);
  // Back through ReLU (see gradient_sums), and from the errors of a unit's normalised output to
  // those of its convolution's output:
  //   scale / deviation · (e - mean e - x mean(e x)),   x = (output - mean) / deviation,
  // where the means are zero if the statistics are not the batch's.
  void normalise_backward(Unit& unit, const T* more, const T* outputs, T* errors,
                          const Gradient& gradient, T* out);
  // Adds the gradient of a convolution's weights, whose copies follow if they are θ's.
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

}  // namespace gps
