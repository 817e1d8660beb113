#include "gps/nn/mlp/fused_mlp.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "gps/core/errors.h"
#include "gps/core/simd_target.h"
#include "gps/data/features.h"
#include "gps/nn/logit_loss.h"
#include "gps/nn/mlp/factored_gradients.h"

namespace gps {

Initialisation initialisation_from(std::string_view name) {
  if (name == "xavier") return Initialisation::xavier;
  if (name == "pytorch") return Initialisation::pytorch;
  throw UsageError("unknown initialisation '" + std::string(name) + "'; known: xavier, pytorch");
}

FusedMlp::FusedMlp(std::vector<std::size_t> sizes, Initialisation initialisation, const Rng& rng,
                   const std::optional<Normalisation>& features) {
  assert(sizes.size() >= 2);
  if (features) {
    feature_scale_.emplace();
    if (!features->mean.empty())
      feature_scale_ = {features->mean.front(), features->deviation.front()};
  }
  simd_target();  // throws if $GPSCL_SIMD is invalid
  std::size_t at = 0;
  for (std::size_t l = 0; l + 1 < sizes.size(); ++l) {
    MlpLayer layer{.in = sizes[l], .out = sizes[l + 1], .stride = padded(sizes[l + 1])};
    layer.weights = at;
    layer.biases = at + layer.in * layer.stride;
    at = layer.biases + layer.stride;
    layers_.push_back(layer);
  }
  theta_ = AlignedFloats(at);
  activations_.resize(layers_.size());
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const MlpLayer& layer = layers_[l];
    const auto in = static_cast<double>(layer.in);
    const auto out = static_cast<double>(layer.out);
    const bool is_xavier = initialisation == Initialisation::xavier;
    const double bound = is_xavier ? std::sqrt(6.0 / (in + out)) : 1.0 / std::sqrt(in);
    Rng draw = rng.fork("layer", l);
    const auto next = [&] { return static_cast<float>(bound * (2 * draw.uniform() - 1)); };
    for (std::size_t k = 0; k < layer.in; ++k) {
      float* row = theta_.data() + layer.weights + k * layer.stride;
      for (std::size_t o = 0; o < layer.out; ++o) row[o] = next();
    }
    if (!is_xavier) {
      for (std::size_t o = 0; o < layer.out; ++o) theta_[layer.biases + o] = next();
    }
  }
}

std::unique_ptr<Network> FusedMlp::clone() const { return std::make_unique<FusedMlp>(*this); }

void FusedMlp::reserve(std::size_t rows) {
  if (rows <= reserved_rows_) return;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    activations_[l].outputs = AlignedFloats(rows * layers_[l].stride);
    activations_[l].errors = AlignedFloats(rows * layers_[l].stride);
    activations_[l].nonzero.assign(rows * mask_words(layers_[l].in) + 1, 0);
  }
  reserved_rows_ = rows;
}

void FusedMlp::normalise(const Normalisation& normalisation) {
  constexpr std::size_t kValues = 256;
  const std::size_t channels = normalisation.mean.size();
  assert(channels == 0 || inputs() % channels == 0);
  normalisation_ = normalisation;
  value_table_.clear();
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t value = 0; value < kValues; ++value) {
      value_table_.push_back((static_cast<float>(value) / 255.0f - normalisation.mean[c]) /
                             normalisation.deviation[c]);
    }
  }
}

FusedMlp::Source FusedMlp::source(ImageRows images) {
  if (!sees_floats()) return {images.size(), images.data(), nullptr, 0};
  constexpr std::size_t kValues = 256;
  const std::size_t stride = padded(inputs());
  const std::size_t pixels = inputs() / std::max<std::size_t>(1, normalisation_.mean.size());
  if (decoded_.size() < images.size() * stride) decoded_ = AlignedFloats(images.size() * stride);
  for (std::size_t r = 0; r < images.size(); ++r) {
    const std::uint8_t* from = images[r];
    float* to = decoded_.data() + r * stride;
    if (feature_scale_)
      read_features(from, feature_scale_->mean, feature_scale_->deviation, {to, inputs()});
    for (std::size_t c = 0; c < normalisation_.mean.size(); ++c, from += pixels, to += pixels) {
      std::transform(
          from, from + pixels, to,
          [table = value_table_.data() + c * kValues](std::uint8_t value) { return table[value]; });
    }
  }
  return {images.size(), nullptr, decoded_.data(), stride};
}

kernels::Inputs FusedMlp::inputs_of(std::size_t layer, const Source& images) const {
  kernels::Inputs in{.nonzero = activations_[layer].nonzero.data(),
                     .rows = images.rows,
                     .inputs = layers_[layer].in,
                     .density = activations_[layer].density};
  if (layer == 0) {
    in.bytes = images.bytes;
    in.floats = images.floats;
    in.float_stride = images.float_stride;
  } else {
    in.floats = activations_[layer - 1].outputs.data();
    in.float_stride = layers_[layer - 1].stride;
  }
  return in;
}

void FusedMlp::forward(const Source& images) {
  const std::size_t rows = images.rows;
  reserve(rows);
  if (images.bytes != nullptr) {
    kernels::find_nonzero(images.bytes, rows, inputs(), activations_[0].nonzero.data());
  } else {  // mark all inputs: the errors of zero inputs are needed too
    kernels::fill_mask(rows, inputs(), activations_[0].nonzero.data());
  }
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const MlpLayer& layer = layers_[l];
    Activations& now = activations_[l];
    now.density = kernels::density(now.nonzero.data(), rows, layer.in);
    float* outputs = now.outputs.data();
    kernels::affine(inputs_of(l, images), theta_.data() + layer.weights,
                    theta_.data() + layer.biases, layer.stride, outputs);
    if (l + 1 < layers_.size()) {
      kernels::relu(outputs, rows, layer.out, layer.stride, activations_[l + 1].nonzero.data());
    }
  }
}

double FusedMlp::loss(std::size_t rows, std::span<const LossTerm> terms) {
  Activations& last = activations_.back();
  NetworkOutputs outputs{.rows = rows,
                         .classes = classes(),
                         .stride = layers_.back().stride,
                         .logits = last.outputs.data(),
                         .feature_size = feature_size()};
  if (layers_.size() >= 2) {
    outputs.feature_stride = layers_[layers_.size() - 2].stride;
    outputs.features = activations_[layers_.size() - 2].outputs.data();
  }
  return loss_of_outputs(terms, outputs, last.errors.data());
}

// Adds the errors of feature_distance, which belong to the last hidden layer and not to the logits.
void FusedMlp::pull_features(std::span<const LossTerm> terms) {
  for (const LossTerm& term : terms) {
    if (term.loss != Loss::feature_distance) continue;
    Activations& hidden = activations_[layers_.size() - 2];
    const std::size_t stride = layers_[layers_.size() - 2].stride;
    const float weight = 2 * term.weight / static_cast<float>(term.rows());
    for (std::size_t k = 0; k < term.rows(); ++k) {
      const std::size_t at = (term.first + k) * stride;
      for (std::size_t f = 0; f < feature_size(); ++f) {
        const float feature = hidden.outputs[at + f];
        if (feature <= 0) continue;  // the derivative of ReLU
        hidden.errors[at + f] += weight * (feature - term.targets[k * feature_size() + f]);
      }
    }
  }
}

template <typename Each>
void FusedMlp::backward(const Source& images, std::span<const LossTerm> terms, const Each& each) {
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const MlpLayer& layer = layers_[l];
    const kernels::Inputs in = inputs_of(l, images);
    if (l > 0) {  // before each() may change this layer's weights
      kernels::propagate(in, activations_[l].errors.data(), theta_.data() + layer.weights,
                         layer.stride, activations_[l - 1].errors.data());
      if (l + 1 == layers_.size()) pull_features(terms);
    }
    each(layer, in, activations_[l].errors.data());
  }
}

// to += scale · gradient, where `to` may be θ itself.
void FusedMlp::add_gradient(const Source& images, std::span<const LossTerm> terms, float scale,
                            AlignedFloats& to) {
  backward(images, terms,
           [&](const MlpLayer& layer, const kernels::Inputs& in, const float* errors) {
             kernels::add_outer_products(in, errors, layer.stride, scale, to.data() + layer.weights,
                                         to.data() + layer.biases);
           });
}

// Calls use(first row, chunk) after the forward pass of each chunk of the images.
template <typename Use>
void FusedMlp::forward_in_chunks(ImageRows images, const Use& use) {
  constexpr std::size_t kRows =
      32;  // a chunk's sums and a block of weights fit in the first-level cache
  for (std::size_t first = 0; first < images.size(); first += kRows) {
    const ImageRows chunk = images.subspan(first, std::min(kRows, images.size() - first));
    forward(source(chunk));
    use(first, chunk);
  }
}

void FusedMlp::logits(ImageRows images, std::span<float> out) {
  assert(out.size() >= images.size() * classes());
  forward_in_chunks(images, [&](std::size_t first, ImageRows chunk) {
    for (std::size_t r = 0; r < chunk.size(); ++r) {
      std::copy_n(row_logits(r).data(), classes(), out.data() + (first + r) * classes());
    }
  });
}

void FusedMlp::features(ImageRows images, std::span<float> out) {
  const std::size_t size = feature_size();
  assert(out.size() >= images.size() * size);
  forward_in_chunks(images, [&](std::size_t first, ImageRows chunk) {
    for (std::size_t r = 0; r < chunk.size(); ++r) {
      float* to = out.data() + (first + r) * size;
      if (layers_.size() == 1 && sees_floats()) {  // the last layer sees the row itself
        std::copy_n(decoded_.data() + r * padded(inputs()), size, to);
      } else if (layers_.size() == 1) {
        std::transform(chunk[r], chunk[r] + size, to,
                       [](std::uint8_t byte) { return static_cast<float>(byte) / 255.0f; });
      } else {
        const std::size_t hidden = layers_.size() - 2;
        std::copy_n(activations_[hidden].outputs.data() + r * layers_[hidden].stride, size, to);
      }
    }
  });
}

std::span<const float> FusedMlp::row_logits(std::size_t row) const {
  return {activations_.back().outputs.data() + row * layers_.back().stride, classes()};
}

double FusedMlp::step(ImageRows images, std::span<const LossTerm> terms, float learning_rate) {
  const Source from = source(images);
  forward(from);
  const double total = loss(images.size(), terms);
  add_gradient(from, terms, -learning_rate, theta_);
  return total;
}

double FusedMlp::accumulate(ImageRows images, std::span<const LossTerm> terms) {
  if (gradient_.empty()) gradient_ = AlignedFloats(theta_.size());
  const Source from = source(images);
  forward(from);
  const double total = loss(images.size(), terms);
  add_gradient(from, terms, 1.0f, gradient_);
  return total;
}

void FusedMlp::descend(float learning_rate) {
  if (gradient_.empty()) return;
  for (std::size_t k = 0; k < theta_.size(); ++k) theta_[k] -= learning_rate * gradient_[k];
  gradient_.clear();
}

std::unique_ptr<ExampleGradients> FusedMlp::no_gradients() const {
  return std::make_unique<FactoredGradients>(layers_, sees_floats());
}

double FusedMlp::example_gradients(ImageRows images, std::span<const LossTerm> terms,
                                   ExampleGradients& out) {
  auto& factors = dynamic_cast<FactoredGradients&>(out);
  factors.clear();
  factors.grow(images.size());
  const Source from = source(images);
  forward(from);
  const double total = loss(images.size(), terms);
  std::size_t l = layers_.size();
  backward(from, terms,
           [&](const MlpLayer& /*layer*/, const kernels::Inputs& in, const float* errors) {
             factors.set_layer(--l, in, errors);
           });
  return total;
}

double FusedMlp::input_gradient(std::span<const float> images, std::span<const LossTerm> terms,
                                std::span<float> out) {
  const std::size_t rows = images.size() / inputs();
  const std::size_t stride = padded(inputs());
  AlignedFloats padded_images(rows * stride);
  AlignedFloats errors(rows * stride);
  for (std::size_t r = 0; r < rows; ++r) {
    std::copy_n(images.data() + r * inputs(), inputs(), padded_images.data() + r * stride);
  }
  const std::size_t channels = normalisation_.mean.size();
  const std::size_t pixels = inputs() / std::max<std::size_t>(1, channels);
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t r = 0; r < rows; ++r) {
      float* const plane = padded_images.data() + r * stride + c * pixels;
      std::transform(plane, plane + pixels, plane, [&](float value) {
        return (value - normalisation_.mean[c]) / normalisation_.deviation[c];
      });
    }
  }
  const Source from{rows, nullptr, padded_images.data(), stride};
  forward(from);
  const double total = loss(rows, terms);
  backward(from, terms, [](const MlpLayer&, const kernels::Inputs&, const float*) {});
  const MlpLayer& layer = layers_.front();
  kernels::propagate(inputs_of(0, from), activations_[0].errors.data(),
                     theta_.data() + layer.weights, layer.stride, errors.data());
  for (std::size_t r = 0; r < rows; ++r) {
    std::copy_n(errors.data() + r * stride, inputs(), out.data() + r * inputs());
  }
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < channels; ++c) {
      float* const plane = out.data() + r * inputs() + c * pixels;
      std::transform(plane, plane + pixels, plane,
                     [&](float value) { return value / normalisation_.deviation[c]; });
    }
  }
  return total;
}

std::vector<float> FusedMlp::flatten(const AlignedFloats& values) const {
  std::vector<float> flat;
  const auto value = [&](std::size_t at) { return values.empty() ? 0.0f : values[at]; };
  for (const MlpLayer& layer : layers_) {
    for (std::size_t o = 0; o < layer.out; ++o) {
      for (std::size_t k = 0; k < layer.in; ++k)
        flat.push_back(value(layer.weights + k * layer.stride + o));
    }
    for (std::size_t o = 0; o < layer.out; ++o) flat.push_back(value(layer.biases + o));
  }
  return flat;
}

std::vector<float> FusedMlp::parameters() const { return flatten(theta_); }

NamedTensors FusedMlp::tensors() const {
  NamedTensors all;
  const std::vector<float> values = parameters();
  auto from = values.begin();
  const auto add = [&](std::size_t layer, const char* kind, std::vector<std::int64_t> shape) {
    const auto to =
        from + std::accumulate(shape.begin(), shape.end(), std::ptrdiff_t{1}, std::multiplies<>());
    all.push_back({"layers." + std::to_string(layer) + kind, std::move(shape), {from, to}});
    from = to;
  };
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const auto out = static_cast<std::int64_t>(layers_[l].out);
    add(l, ".weight", {out, static_cast<std::int64_t>(layers_[l].in)});
    add(l, ".bias", {out});
  }
  return all;
}

std::vector<float> FusedMlp::gradient() const { return flatten(gradient_); }

void FusedMlp::set_parameters(std::span<const float> values) {
  std::size_t at = 0;
  for (const MlpLayer& layer : layers_) {
    for (std::size_t o = 0; o < layer.out; ++o) {
      for (std::size_t k = 0; k < layer.in; ++k)
        theta_[layer.weights + k * layer.stride + o] = values[at++];
    }
    for (std::size_t o = 0; o < layer.out; ++o) theta_[layer.biases + o] = values[at++];
  }
  assert(at == values.size());
}

}  // namespace gps
