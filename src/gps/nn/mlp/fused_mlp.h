// A multi-layer perceptron with ReLU between its layers, trained in one pass over preallocated
// buffers: no allocation, no framework call and no lock in the loop. The paper's network for
// P-MNIST is 784-100-100-10.
//
// Weights are stored by input: the outgoing weights of each input form a row that is padded to
// whole vectors. Forward pass, backward pass and update visit only the rows of inputs that are not
// zero: at any time four fifths of an MNIST image and half of the hidden units are zero. If few
// inputs are zero, kernels process all inputs instead. The kernels (fused_mlp_kernels.h) are chosen
// for the CPU at run time.
#pragma once

#include <optional>
#include <string_view>

#include "gps/core/rng.h"
#include "gps/data/normalisation.h"
#include "gps/nn/mlp/fused_mlp_kernels.h"
#include "gps/nn/network.h"

namespace gps {

enum class Initialisation {
  xavier,   // weights U(±sqrt(6/(in + out))), biases 0: Mammoth's MNISTMLP
  pytorch,  // weights and biases U(±1/sqrt(in)): torch.nn.Linear
};

Initialisation initialisation_from(std::string_view name);

// The places of one layer's weights in θ.
struct MlpLayer {
  std::size_t in = 0;
  std::size_t out = 0;
  std::size_t stride = 0;   // out, padded to whole vectors
  std::size_t weights = 0;  // offset of [in][stride] weights; padding is zero and stays zero
  std::size_t biases = 0;   // offset of [stride] biases
};

// How rows of features become inputs: (value - mean) / deviation.
struct FeatureScale {
  float mean = 0;
  float deviation = 1;
};

class FusedMlp final : public Network {
 public:
  // `sizes` are the units of each layer, input and output included. If `features` is given, rows
  // are features (data/features.h) that are normalised with its first mean and deviation; an empty
  // one leaves them as they are. REQUIRES: at least two sizes, all positive.
  FusedMlp(std::vector<std::size_t> sizes, Initialisation initialisation, const Rng& rng,
           const std::optional<Normalisation>& features = std::nullopt);

  // From now on, pixels become (value/255 - mean) / deviation. An empty normalisation leaves them
  // as they are: values in [0, 1], of which the kernels skip the zeros. REQUIRES: rows are
  // pixels; the channels divide the inputs.
  void normalise(const Normalisation& normalisation);
  const Normalisation& normalisation() const { return normalisation_; }

  std::unique_ptr<Network> clone() const override;
  std::size_t inputs() const override { return layers_.front().in; }
  std::size_t classes() const override { return layers_.back().out; }
  std::size_t feature_size() const override { return layers_.back().in; }
  void logits(ImageRows images, std::span<float> out) override;
  void features(ImageRows images, std::span<float> out) override;
  double accumulate(ImageRows images, std::span<const LossTerm> terms) override;
  void descend(float learning_rate) override;
  double step(ImageRows images, std::span<const LossTerm> terms, float learning_rate) override;
  std::span<const float> row_logits(std::size_t row) const override;
  std::unique_ptr<ExampleGradients> no_gradients() const override;
  double example_gradients(ImageRows images, std::span<const LossTerm> terms,
                           ExampleGradients& out) override;
  double input_gradient(std::span<const float> images, std::span<const LossTerm> terms,
                        std::span<float> out) override;
  std::span<float> weights() override { return {theta_.data(), theta_.size()}; }

  // For each layer: weights [out][in], then biases [out], in PyTorch's order.
  std::vector<float> parameters() const override;
  void set_parameters(std::span<const float> values) override;
  std::vector<float> gradient() const override;
  // "layers.0.weight", "layers.0.bias", and so on.
  NamedTensors tensors() const override;

  // Nothing if rows are pixels.
  const std::optional<FeatureScale>& feature_scale() const { return feature_scale_; }

 private:
  // For each row of the batch in one layer: outputs, their errors (∂loss/∂output), and which inputs
  // are not zero.
  struct Activations {
    AlignedFloats outputs;               // [rows][stride]
    AlignedFloats errors;                // [rows][stride]
    std::vector<std::uint64_t> nonzero;  // [rows][words of the layer's inputs]
    float density = 0;                   // share of the layer's inputs that are not zero
  };
  // A batch of images: bytes, or padded rows of floats.
  struct Source {
    std::size_t rows = 0;
    const std::uint8_t* const* bytes = nullptr;
    const float* floats = nullptr;
    std::size_t float_stride = 0;
  };

  // Normalised pixels and features are put into decoded_, so that only the newest source is valid.
  Source source(ImageRows images);
  bool sees_floats() const { return feature_scale_ || !value_table_.empty(); }
  void reserve(std::size_t rows);
  kernels::Inputs inputs_of(std::size_t layer, const Source& images) const;
  void forward(const Source& images);
  template <typename Use>
  void forward_in_chunks(ImageRows images, const Use& use);
  double loss(std::size_t rows, std::span<const LossTerm> terms);
  void pull_features(std::span<const LossTerm> terms);
  // Computes the errors of all layers from those of the last layer's outputs. Calls each(layer, its
  // inputs, its errors) as soon as a layer's errors are no longer needed, last layer first.
  template <typename Each>
  void backward(const Source& images, std::span<const LossTerm> terms, const Each& each);
  void add_gradient(const Source& images, std::span<const LossTerm> terms, float scale,
                    AlignedFloats& to);
  std::vector<float> flatten(const AlignedFloats& values) const;

  std::vector<MlpLayer> layers_;
  Normalisation normalisation_;     // of pixels; empty: none
  std::vector<float> value_table_;  // [channels][256]: the input for each value of a pixel
  std::optional<FeatureScale> feature_scale_;
  AlignedFloats decoded_;  // normalised pixels or features of a batch: [rows][padded inputs]
  AlignedFloats theta_;
  AlignedFloats gradient_;  // empty until needed
  std::vector<Activations> activations_;
  std::size_t reserved_rows_ = 0;
};

}  // namespace gps
