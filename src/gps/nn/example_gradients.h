// The gradients of several examples, one each, in the form that suits their network. An MLP keeps
// two vectors for each layer, inputs a and errors δ, whose outer product is the gradient (about 3
// kB per example instead of 360 kB for 784-100-100-10). Sums, inner products and squares of
// gradients follow from these vectors alone:
//   Σ_k c_k g_k = Σ_k a_k (c_k δ_k)ᵀ,   <g_i, g_j> = Σ_layers <δ_i, δ_j> (<a_i, a_j> + 1),
//   Σ_k g_k²    = Σ_k a_k² (δ_k²)ᵀ.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "gps/core/files/archive.h"

namespace gps {

class ExampleGradients {
 public:
  virtual ~ExampleGradients() = default;
  virtual std::unique_ptr<ExampleGradients> clone() const = 0;

  virtual std::size_t size() const = 0;
  virtual void clear() = 0;
  // REQUIRES: both come from networks of the same shape, here and below.
  virtual void append(const ExampleGradients& others) = 0;

  // out[i * others.size() + j] = <g_i, others_j>. REQUIRES: out has size() · others.size().
  virtual void inner_products(const ExampleGradients& others, std::span<float> out) const = 0;

  // weights += Σ_k factors[k] · g_k, in the order of Network::weights(). REQUIRES: `weights` are
  // the network's own or AlignedFloats, here and below.
  virtual void add_to(std::span<const float> factors, std::span<float> weights) const = 0;

  // weights += factor · Σ_k g_k², likewise.
  virtual void add_squares_to(float factor, std::span<float> weights) const = 0;

  // Saves or restores all gradients (core/files/archive.h).
  virtual void persist(Archive& archive) = 0;
};

}  // namespace gps
