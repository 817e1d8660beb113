// f(x; θ): what every learner trains, whatever it is made of.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gps/nn/example_gradients.h"
#include "gps/nn/loss.h"
#include "gps/nn/named_tensor.h"

namespace gps {

// A batch as the network sees it: one pointer an image, to bytes that stand for value/255.
using ImageRows = std::span<const std::uint8_t* const>;

class Network {
 public:
  virtual ~Network() = default;

  // A deep copy: training one leaves the other as it is.
  virtual std::unique_ptr<Network> clone() const = 0;

  virtual std::size_t inputs() const = 0;
  virtual std::size_t classes() const = 0;
  // The size of φ(x), what the last layer sees.
  virtual std::size_t feature_size() const = 0;

  // Writes images.size() rows of classes() logits, or of feature_size() features, as the network
  // predicts (batch normalisation by its running statistics). Not const because of scratch buffers;
  // θ does not change.
  virtual void logits(ImageRows images, std::span<float> out) = 0;
  virtual void features(ImageRows images, std::span<float> out) = 0;

  // The logits as accumulate() sees them (batch normalisation by the statistics of these very
  // images), without leaving a trace in the network. The same as logits() where nothing is
  // normalised.
  virtual void training_logits(ImageRows images, std::span<float> out) { logits(images, out); }

  // Forward and backward, in training mode: adds the gradient of the sum of the terms to gradient()
  // and returns that sum.
  virtual double accumulate(ImageRows images, std::span<const LossTerm> terms) = 0;

  // θ ← θ − learning_rate · gradient; gradient ← 0.
  virtual void descend(float learning_rate) = 0;

  // One step of gradient descent on the sum of the terms, returned as it was before the step. The
  // same as accumulate() and descend() on a zero gradient, up to rounding; networks may do it in
  // one pass.
  virtual double step(ImageRows images, std::span<const LossTerm> terms, float learning_rate) {
    const double loss = accumulate(images, terms);
    descend(learning_rate);
    return loss;
  }

  // Row `row` of the logits of the last accumulate(), step() or example_gradients(), as they were
  // before θ changed.
  virtual std::span<const float> row_logits(std::size_t row) const = 0;

  // The gradient of each row's share of the terms (whose sum is the gradient of all of them), in
  // place of what `out` held; returns the sum of the terms. `out` comes from no_gradients(). With
  // batch normalisation no row has a gradient of its own in training mode: these are taken by the
  // running statistics.
  virtual std::unique_ptr<ExampleGradients> no_gradients() const = 0;
  virtual double example_gradients(ImageRows images, std::span<const LossTerm> terms,
                                   ExampleGradients& out) = 0;

  // The gradient that accumulate() adds, in place of what `out` held, as a sum of as many parts as
  // the network likes; returns the sum of the terms.
  virtual double gradients(ImageRows images, std::span<const LossTerm> terms,
                           ExampleGradients& out) {
    return example_gradients(images, terms, out);
  }

  // The gradient of the sum of the terms with respect to the images, given and returned as rows of
  // inputs() values; returns that sum.
  virtual double input_gradient(std::span<const float> images, std::span<const LossTerm> terms,
                                std::span<float> out) = 0;

  // θ itself, in the network's own order: for what treats each weight alone. Some of it may be
  // padding, which is zero in every gradient and must stay zero in θ. Valid until the next call:
  // where θ lies on a GPU this is a copy, which goes back there before the network is next used.
  virtual std::span<float> weights() = 0;
  std::span<const float> weights() const { return const_cast<Network*>(this)->weights(); }

  // θ and the accumulated gradient, flat, in the order of PyTorch's parameters().
  virtual std::vector<float> parameters() const = 0;
  virtual void set_parameters(std::span<const float> values) = 0;
  virtual std::vector<float> gradient() const = 0;

  // What state() is, in its order, under PyTorch's names.
  virtual NamedTensors tensors() const {
    const std::vector<float> values = parameters();
    return {{"parameters", {static_cast<std::int64_t>(values.size())}, values}};
  }

  // Everything that its next steps depend on between two steps: θ, and whatever else training
  // leaves in it (the running statistics of batch normalisation). For checkpoints.
  virtual std::vector<float> state() const { return parameters(); }
  virtual void set_state(std::span<const float> values) { set_parameters(values); }

  // state(), into or out of an archive (core/files/archive.h); another network's is refused.
  void persist(Archive& archive) {
    archive.section("network");
    std::vector<float> values = state();
    archive.in_place(std::span(values));
    if (archive.is_reading()) set_state(values);
  }
};

}  // namespace gps
