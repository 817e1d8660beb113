#include <algorithm>

#include "gps/core/simd_target.h"
#include "gps/nn/resnet18/resnet18_passes.h"

namespace gps {

template <typename T>
ResNet18Passes<T>::ResNet18Passes(const FusedResNet18Options& options)
    : options_(options),
      layout_(options_.shape, options_.classes, options_.width),
      theta_(layout_.size),
      statistics_(layout_.statistics_size),
      ones_(layout_.feature_stride),
      zeros_(layout_.feature_stride) {
  simd_target();  // throws if $GPSCL_SIMD is invalid
  std::ranges::fill(std::span<float>(ones_), 1.0f);
  for (const ResNetUnit& unit : layout_.units) {
    units_.emplace_back(unit);
    largest_ = std::max(largest_, unit.shape.outputs);
  }
  blocks_.resize(layout_.blocks.size());
  for (AlignedFloats& values : channel_) values = AlignedFloats(largest_);
}

template <typename T>
void ResNet18Passes<T>::reserve(std::size_t rows) {
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

template <typename T>
void ResNet18Passes<T>::reserve_backward(std::size_t rows) {
  if (rows <= reserved_backward_) return;
  reserved_backward_ = rows;
  for (std::size_t s = 0; s < kStages; ++s) {
    const ResNetUnit& unit = last_unit(s);
    const auto buffer = [&](std::size_t channels) {
      return PixelBuffer<T>(unit.grid, channels, rows);
    };
    const std::size_t in = layout_.units[layout_.blocks[2 * s].first].shape.inputs;
    errors_by_stage_[s] = {
        buffer(unit.shape.outputs), buffer(unit.shape.outputs), buffer(unit.shape.outputs), {}, {}};
    if (s == 0) continue;
    errors_by_stage_[s].shortcut = buffer(unit.shape.outputs);
    errors_by_stage_[s].phase = buffer(in);
  }
}

template <typename T>
void ResNet18Passes<T>::pack(Unit& unit) {
  if (unit.is_winograd) return;
  unit.forward.pack(theta_.data() + unit.place.weights);
  unit.backward.pack_transposed(theta_.data() + unit.place.weights);
}

template ResNet18Passes<float>::ResNet18Passes(const FusedResNet18Options&);
template ResNet18Passes<Bf16>::ResNet18Passes(const FusedResNet18Options&);
template void ResNet18Passes<float>::reserve(std::size_t);
template void ResNet18Passes<Bf16>::reserve(std::size_t);
template void ResNet18Passes<float>::reserve_backward(std::size_t);
template void ResNet18Passes<Bf16>::reserve_backward(std::size_t);
template void ResNet18Passes<float>::pack(Unit&);
template void ResNet18Passes<Bf16>::pack(Unit&);

}  // namespace gps
