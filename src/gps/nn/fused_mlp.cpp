#include "gps/nn/fused_mlp.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>
#include <utility>

#include "gps/core/errors.h"

namespace gps {

Initialisation initialisation_from(std::string_view name) {
  if (name == "xavier") return Initialisation::xavier;
  if (name == "pytorch") return Initialisation::pytorch;
  throw UsageError("unknown initialisation '" + std::string(name) + "'; known: xavier, pytorch");
}

FusedMlp::FusedMlp(std::vector<std::size_t> sizes, Initialisation initialisation, const Rng& rng)
    : sizes_(std::move(sizes)) {
  assert(sizes_.size() >= 2);
  for (std::size_t l = 0; l + 1 < sizes_.size(); ++l) {
    Layer layer;
    layer.in = sizes_[l];
    layer.out = sizes_[l + 1];
    layer.stride = padded(layer.out);
    layer.weights = AlignedFloats(layer.in * layer.stride);
    layer.biases = AlignedFloats(layer.stride);
    const auto in = static_cast<double>(layer.in);
    const auto out = static_cast<double>(layer.out);
    const bool is_xavier = initialisation == Initialisation::xavier;
    const double bound = is_xavier ? std::sqrt(6.0 / (in + out)) : 1.0 / std::sqrt(in);
    Rng draw = rng.fork("layer", l);
    const auto next = [&] { return static_cast<float>(bound * (2 * draw.uniform() - 1)); };
    for (std::size_t k = 0; k < layer.in; ++k) {
      for (std::size_t o = 0; o < layer.out; ++o) layer.weights[k * layer.stride + o] = next();
    }
    if (!is_xavier) {
      for (std::size_t o = 0; o < layer.out; ++o) layer.biases[o] = next();
    }
    layers_.push_back(std::move(layer));
  }
  activations_.resize(layers_.size());
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

void FusedMlp::forward(ImageRows images) {
  const std::size_t rows = images.size();
  reserve(rows);
  kernels::find_nonzero(images.data(), rows, inputs(), activations_[0].nonzero.data());
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    kernels::Inputs in{.nonzero = activations_[l].nonzero.data(), .rows = rows, .inputs = layer.in};
    if (l == 0) {
      in.bytes = images.data();
    } else {
      in.floats = activations_[l - 1].outputs.data();
      in.float_stride = layers_[l - 1].stride;
    }
    float* outputs = activations_[l].outputs.data();
    kernels::affine(in, layer.weights.data(), layer.biases.data(), layer.stride, outputs);
    if (l + 1 < layers_.size()) {
      kernels::relu(outputs, rows, layer.out, layer.stride, activations_[l + 1].nonzero.data());
    }
  }
}

double FusedMlp::loss(std::size_t rows, std::span<const LossTerm> terms) {
  Activations& last = activations_.back();
  const std::size_t stride = layers_.back().stride;
  std::fill_n(last.errors.data(), rows * stride, 0.0f);
  double total = 0;
  for (const LossTerm& term : terms) {
    assert(term.first + term.labels.size() <= rows);
    if (term.labels.empty()) continue;
    const float weight = term.weight / static_cast<float>(term.labels.size());
    double sum = 0;
    for (std::size_t k = 0; k < term.labels.size(); ++k) {
      const std::size_t at = (term.first + k) * stride;
      sum += static_cast<double>(kernels::cross_entropy(last.outputs.data() + at, classes(), stride,
                                                        term.labels[k], weight,
                                                        last.errors.data() + at));
    }
    total += static_cast<double>(weight) * sum;
  }
  return total;
}

void FusedMlp::backward(ImageRows images, float scale, Into into) {
  for (std::size_t l = layers_.size(); l-- > 0;) {
    Layer& layer = layers_[l];
    kernels::Inputs in{
        .nonzero = activations_[l].nonzero.data(), .rows = images.size(), .inputs = layer.in};
    const float* errors = activations_[l].errors.data();
    if (l == 0) {
      in.bytes = images.data();
    } else {
      in.floats = activations_[l - 1].outputs.data();
      in.float_stride = layers_[l - 1].stride;
      // Before this layer's weights change.
      kernels::propagate(in, errors, layer.weights.data(), layer.stride,
                         activations_[l - 1].errors.data());
    }
    const bool is_step = into == Into::weights;
    kernels::add_outer_products(in, errors, layer.stride, scale,
                                is_step ? layer.weights.data() : layer.weight_gradient.data(),
                                is_step ? layer.biases.data() : layer.bias_gradient.data());
  }
}

void FusedMlp::logits(ImageRows images, std::span<float> out) {
  assert(out.size() >= images.size() * classes());
  constexpr std::size_t kRows = 64;  // keeps a chunk's activations in the second-level cache
  for (std::size_t first = 0; first < images.size(); first += kRows) {
    const ImageRows chunk = images.subspan(first, std::min(kRows, images.size() - first));
    forward(chunk);
    for (std::size_t r = 0; r < chunk.size(); ++r) {
      std::copy_n(activations_.back().outputs.data() + r * layers_.back().stride, classes(),
                  out.data() + (first + r) * classes());
    }
  }
}

double FusedMlp::step(ImageRows images, std::span<const LossTerm> terms, float learning_rate) {
  forward(images);
  const double total = loss(images.size(), terms);
  backward(images, -learning_rate, Into::weights);
  return total;
}

double FusedMlp::accumulate(ImageRows images, std::span<const LossTerm> terms) {
  for (Layer& layer : layers_) {
    if (layer.weight_gradient.empty()) {
      layer.weight_gradient = AlignedFloats(layer.weights.size());
      layer.bias_gradient = AlignedFloats(layer.biases.size());
    }
  }
  forward(images);
  const double total = loss(images.size(), terms);
  backward(images, 1.0f, Into::gradients);
  return total;
}

void FusedMlp::descend(float learning_rate) {
  for (Layer& layer : layers_) {
    if (layer.weight_gradient.empty()) continue;
    for (std::size_t k = 0; k < layer.weights.size(); ++k) {
      layer.weights[k] -= learning_rate * layer.weight_gradient[k];
    }
    for (std::size_t o = 0; o < layer.stride; ++o)
      layer.biases[o] -= learning_rate * layer.bias_gradient[o];
    layer.weight_gradient.clear();
    layer.bias_gradient.clear();
  }
}

std::vector<float> FusedMlp::flatten(AlignedFloats Layer::*weights,
                                     AlignedFloats Layer::*biases) const {
  std::vector<float> flat;
  for (const Layer& layer : layers_) {
    const AlignedFloats& w = layer.*weights;
    const AlignedFloats& b = layer.*biases;
    for (std::size_t o = 0; o < layer.out; ++o) {
      for (std::size_t k = 0; k < layer.in; ++k)
        flat.push_back(w.empty() ? 0.0f : w[k * layer.stride + o]);
    }
    for (std::size_t o = 0; o < layer.out; ++o) flat.push_back(b.empty() ? 0.0f : b[o]);
  }
  return flat;
}

std::vector<float> FusedMlp::parameters() const { return flatten(&Layer::weights, &Layer::biases); }

std::vector<float> FusedMlp::gradient() const {
  return flatten(&Layer::weight_gradient, &Layer::bias_gradient);
}

void FusedMlp::set_parameters(std::span<const float> values) {
  std::size_t at = 0;
  for (Layer& layer : layers_) {
    for (std::size_t o = 0; o < layer.out; ++o) {
      for (std::size_t k = 0; k < layer.in; ++k) layer.weights[k * layer.stride + o] = values[at++];
    }
    for (std::size_t o = 0; o < layer.out; ++o) layer.biases[o] = values[at++];
  }
  assert(at == values.size());
}

}  // namespace gps
