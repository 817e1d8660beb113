// A multi-layer perceptron with ReLU between its layers, trained in one pass over preallocated
// buffers: no allocation, no framework call and no lock in the loop. The paper's network for
// P-MNIST is 784-100-100-10.
//
// Weights are stored input by input, each input's row of outgoing weights padded to whole vectors.
// Forward, backward and update then all walk the rows of inputs that are not zero, and skip the
// rest: four fifths of an MNIST image and half of the hidden units are zero at any time. Kernels
// (fused_mlp_kernels.h) are chosen for the CPU at run time.
#pragma once

#include <string_view>

#include "gps/core/rng.h"
#include "gps/nn/fused_mlp_kernels.h"
#include "gps/nn/network.h"

namespace gps {

enum class Initialisation {
  xavier,   // weights U(±sqrt(6/(in + out))), biases 0: Mammoth's MNISTMLP
  pytorch,  // weights and biases U(±1/sqrt(in)): torch.nn.Linear
};

Initialisation initialisation_from(std::string_view name);

class FusedMlp final : public Network {
 public:
  // `sizes` are the units of each layer, input and output included. REQUIRES: at least two, all
  // positive.
  FusedMlp(std::vector<std::size_t> sizes, Initialisation initialisation, const Rng& rng);

  std::unique_ptr<Network> clone() const override;
  std::size_t inputs() const override { return sizes_.front(); }
  std::size_t classes() const override { return sizes_.back(); }
  void logits(ImageRows images, std::span<float> out) override;
  double accumulate(ImageRows images, std::span<const LossTerm> terms) override;
  void descend(float learning_rate) override;
  double step(ImageRows images, std::span<const LossTerm> terms, float learning_rate) override;

  // For each layer: weights [out][in], then biases [out], as PyTorch lists them.
  std::vector<float> parameters() const override;
  void set_parameters(std::span<const float> values) override;
  std::vector<float> gradient() const override;

 private:
  struct Layer {
    std::size_t in = 0;
    std::size_t out = 0;
    std::size_t stride = 0;  // out, padded to whole vectors
    AlignedFloats weights;   // [in][stride]; padding is zero and stays zero
    AlignedFloats biases;    // [stride]
    AlignedFloats weight_gradient;
    AlignedFloats bias_gradient;
  };
  // Per row of the batch and layer: outputs, their errors (∂loss/∂output), and which inputs are not
  // zero.
  struct Activations {
    AlignedFloats outputs;               // [rows][stride]
    AlignedFloats errors;                // [rows][stride]
    std::vector<std::uint64_t> nonzero;  // [rows][words of the layer's inputs]
  };

  void reserve(std::size_t rows);
  void forward(ImageRows images);
  double loss(std::size_t rows, std::span<const LossTerm> terms);
  // Adds scale times the gradient to the weights themselves (a step) or to the gradient buffers.
  enum class Into { weights, gradients };
  void backward(ImageRows images, float scale, Into into);
  std::vector<float> flatten(AlignedFloats Layer::*weights, AlignedFloats Layer::*biases) const;

  std::vector<std::size_t> sizes_;
  std::vector<Layer> layers_;
  std::vector<Activations> activations_;
  std::size_t reserved_rows_ = 0;
};

}  // namespace gps
