#include "gps/nn/mlp/factored_gradients.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace gps {
namespace {

AlignedFloats resized(const AlignedFloats& values, std::size_t size) {
  AlignedFloats larger(size);
  std::copy_n(values.data(), std::min(size, values.size()), larger.data());
  return larger;
}

// The kernels follow every bit that is set, so none may stand for an input that does not exist.
void check_masks(std::span<const std::uint64_t> nonzero, std::size_t rows, std::size_t inputs) {
  const std::size_t words = mask_words(inputs);
  if (inputs % kWordBits == 0) return;
  for (std::size_t r = 0; r < rows; ++r) {
    Archive::require(nonzero[(r + 1) * words - 1] >> (inputs % kWordBits) == 0,
                     "example gradients have inputs that the network does not have");
  }
}

// The kernels also multiply padding: a value there would get into the padding of the weights, and
// then set bits of inputs that do not exist.
void check_padding(std::span<const float> values, std::size_t used, std::size_t stride) {
  for (std::size_t first = 0; first < values.size(); first += stride) {
    const auto padding = values.subspan(first + used, stride - used);
    Archive::require(std::all_of(padding.begin(), padding.end(), [](float v) { return v == 0; }),
                     "example gradients have units that the network does not have");
  }
}

}  // namespace

FactoredGradients::FactoredGradients(std::vector<MlpLayer> layers, bool sees_floats)
    : layers_(std::move(layers)), sees_floats_(sees_floats), factors_(layers_.size()) {}

std::unique_ptr<ExampleGradients> FactoredGradients::clone() const {
  return std::make_unique<FactoredGradients>(*this);
}

std::size_t FactoredGradients::bytes() const {
  std::size_t total = 0;
  for (const Factors& factors : factors_) {
    total += factors.bytes.size() + factors.nonzero.size() * sizeof(std::uint64_t) +
             (factors.inputs.size() + factors.errors.size()) * sizeof(float);
  }
  return total;
}

void FactoredGradients::grow(std::size_t rows) {
  size_ += rows;
  if (size_ <= reserved_) return;
  reserved_ = std::max(size_, 2 * reserved_);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    Factors& factors = factors_[l];
    if (has_bytes(l)) {
      factors.bytes.resize(reserved_ * layers_[l].in);
    } else {
      factors.inputs = resized(factors.inputs, reserved_ * padded(layers_[l].in));
    }
    factors.errors = resized(factors.errors, reserved_ * layers_[l].stride);
    factors.nonzero.resize(reserved_ * mask_words(layers_[l].in) + 1);
  }
}

void FactoredGradients::set_layer(std::size_t layer, const kernels::Inputs& in,
                                  const float* errors) {
  const std::size_t first = size_ - in.rows;
  const MlpLayer& shape = layers_[layer];
  Factors& factors = factors_[layer];
  if (has_bytes(layer)) {
    assert(in.bytes != nullptr);
    for (std::size_t r = 0; r < in.rows; ++r)
      std::copy_n(in.bytes[r], shape.in, factors.bytes.data() + (first + r) * shape.in);
  } else {
    assert(in.float_stride == padded(shape.in));
    std::copy_n(in.floats, in.rows * in.float_stride,
                factors.inputs.data() + first * in.float_stride);
  }
  std::copy_n(errors, in.rows * shape.stride, factors.errors.data() + first * shape.stride);
  const std::size_t words = mask_words(shape.in);
  std::copy_n(in.nonzero, in.rows * words, factors.nonzero.data() + first * words);
}

kernels::Inputs FactoredGradients::inputs_of(std::size_t layer,
                                             std::vector<const std::uint8_t*>& rows) const {
  const Factors& factors = factors_[layer];
  kernels::Inputs in{.nonzero = factors.nonzero.data(), .rows = size_, .inputs = layers_[layer].in};
  in.density = kernels::density(in.nonzero, in.rows, in.inputs);
  if (has_bytes(layer)) {
    rows.resize(size_);
    for (std::size_t r = 0; r < size_; ++r) rows[r] = factors.bytes.data() + r * in.inputs;
    in.bytes = rows.data();
  } else {
    in.floats = factors.inputs.data();
    in.float_stride = padded(in.inputs);
  }
  return in;
}

void FactoredGradients::append(const ExampleGradients& others) {
  const auto& more = dynamic_cast<const FactoredGradients&>(others);
  if (more.size_ == 0) return;
  grow(more.size_);
  std::vector<const std::uint8_t*> rows;
  for (std::size_t l = 0; l < layers_.size(); ++l)
    set_layer(l, more.inputs_of(l, rows), more.factors_[l].errors.data());
}

void FactoredGradients::inner_products(const ExampleGradients& others, std::span<float> out) const {
  const auto& more = dynamic_cast<const FactoredGradients&>(others);
  const std::size_t pairs = size_ * more.size_;
  assert(out.size() >= pairs);
  std::fill_n(out.data(), pairs, 0.0f);
  std::vector<float>& inputs = scratch_.inputs;
  std::vector<float>& errors = scratch_.errors;
  inputs.resize(pairs);
  errors.resize(pairs);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Factors& a = factors_[l];
    const Factors& b = more.factors_[l];
    if (has_bytes(l)) {
      kernels::gram_bytes(a.bytes.data(), size_, b.bytes.data(), more.size_, layers_[l].in,
                          inputs.data());
    } else {
      kernels::gram_floats(a.inputs.data(), size_, b.inputs.data(), more.size_,
                           padded(layers_[l].in), inputs.data());
    }
    kernels::gram_floats(a.errors.data(), size_, b.errors.data(), more.size_, layers_[l].stride,
                         errors.data());
    for (std::size_t p = 0; p < pairs; ++p) out[p] += errors[p] * (inputs[p] + 1);
  }
}

void FactoredGradients::add_to(std::span<const float> factors, std::span<float> weights) const {
  assert(factors.size() == size_);
  AlignedFloats& scaled = scratch_.scaled;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const MlpLayer& layer = layers_[l];
    if (scaled.size() < size_ * layer.stride) scaled = AlignedFloats(size_ * layer.stride);
    for (std::size_t r = 0; r < size_; ++r) {
      const float* errors = factors_[l].errors.data() + r * layer.stride;
      std::transform(errors, errors + layer.stride, scaled.data() + r * layer.stride,
                     [factor = factors[r]](float error) { return factor * error; });
    }
    kernels::add_outer_products(inputs_of(l, scratch_.rows), scaled.data(), layer.stride, 1.0f,
                                weights.data() + layer.weights, weights.data() + layer.biases);
  }
}

void FactoredGradients::add_squares_to(float factor, std::span<float> weights) const {
  std::vector<const std::uint8_t*> rows;
  const auto squared = [](float value) { return value * value; };
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const MlpLayer& layer = layers_[l];
    kernels::Inputs in = inputs_of(l, rows);
    const std::size_t stride = padded(layer.in);
    AlignedFloats inputs(size_ * stride);
    for (std::size_t r = 0; r < size_; ++r) {
      float* to = inputs.data() + r * stride;
      if (in.bytes != nullptr) {
        std::transform(in.bytes[r], in.bytes[r] + layer.in, to, [&](std::uint8_t byte) {
          return squared(static_cast<float>(byte) / 255.0f);
        });
      } else {
        std::transform(in.floats + r * stride, in.floats + (r + 1) * stride, to, squared);
      }
    }
    AlignedFloats errors(size_ * layer.stride);
    std::transform(factors_[l].errors.data(), factors_[l].errors.data() + errors.size(),
                   errors.data(), squared);
    in.bytes = nullptr;
    in.floats = inputs.data();
    in.float_stride = stride;
    kernels::add_outer_products(in, errors.data(), layer.stride, factor,
                                weights.data() + layer.weights, weights.data() + layer.biases);
  }
}

void FactoredGradients::persist(Archive& archive) {
  archive.section("example gradients");
  std::size_t bytes_of_row = 0;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const MlpLayer& layer = layers_[l];
    bytes_of_row += (has_bytes(l) ? layer.in : padded(layer.in) * sizeof(float)) +
                    layer.stride * sizeof(float) + mask_words(layer.in) * sizeof(std::uint64_t);
  }
  const std::size_t rows = archive.count(size_, bytes_of_row);
  if (archive.is_reading()) {
    clear();
    grow(rows);
  }
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    Factors& factors = factors_[l];
    const MlpLayer& layer = layers_[l];
    const auto inputs =
        std::span<float>(factors.inputs).first(has_bytes(l) ? 0 : rows * padded(layer.in));
    const auto errors = std::span<float>(factors.errors).first(rows * layer.stride);
    if (has_bytes(l)) {
      archive.in_place(std::span(factors.bytes).first(rows * layer.in));
    } else {
      archive.in_place(inputs);
    }
    archive.in_place(errors);
    if (archive.is_reading()) {
      check_padding(inputs, layer.in, padded(layer.in));
      check_padding(errors, layer.out, layer.stride);
    }
    archive.in_place(std::span(factors.nonzero).first(rows * mask_words(layer.in)));
    check_masks(factors.nonzero, rows, layer.in);
  }
}

}  // namespace gps
