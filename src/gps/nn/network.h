// f(x; θ): the network that a learner trains, whatever its implementation.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gps/nn/example_gradients.h"
#include "gps/nn/loss.h"
#include "gps/nn/named_tensor.h"

namespace gps {

// A batch as the network sees it: one pointer per image, to bytes that represent value/255.
using ImageRows = std::span<const std::uint8_t* const>;

class Network {
 public:
  virtual ~Network() = default;

  // Returns a deep copy: training one does not change the other.
  virtual std::unique_ptr<Network> clone() const = 0;

  virtual std::size_t inputs() const = 0;
  virtual std::size_t classes() const = 0;
  // The size of φ(x), the input of the last layer.
  virtual std::size_t feature_size() const = 0;

  // Writes images.size() rows of classes() logits or feature_size() features, in prediction mode
  // (batch normalisation uses its running statistics). Not const because of scratch buffers; θ does
  // not change.
  virtual void logits(ImageRows images, std::span<float> out) = 0;
  virtual void features(ImageRows images, std::span<float> out) = 0;

  // Writes the logits as in accumulate() (batch normalisation uses the statistics of these images),
  // without changing the network. The same as logits() in networks without batch normalisation.
  virtual void training_logits(ImageRows images, std::span<float> out) { logits(images, out); }

  // Does a forward and a backward pass in training mode: adds the gradient of the sum of the terms
  // to gradient() and returns that sum.
  virtual double accumulate(ImageRows images, std::span<const LossTerm> terms) = 0;

  // θ ← θ − learning_rate · gradient; gradient ← 0.
  virtual void descend(float learning_rate) = 0;

  // Does one step of gradient descent on the sum of the terms, and returns the sum before the step.
  // The same as accumulate() and descend() on a zero gradient, up to rounding; networks may do it
  // in one pass.
  virtual double step(ImageRows images, std::span<const LossTerm> terms, float learning_rate) {
    const double loss = accumulate(images, terms);
    descend(learning_rate);
    return loss;
  }

  // Returns row `row` of the logits of the last accumulate(), step() or example_gradients(), as
  // they were before θ changed.
  virtual std::span<const float> row_logits(std::size_t row) const = 0;

  // Replaces the content of `out` by the gradient of each row's share of the terms (these sum to
  // the gradient of all terms), and returns the sum of the terms. `out` comes from no_gradients().
  // With batch normalisation a single row has no gradient in training mode, so these gradients use
  // the running statistics.
  virtual std::unique_ptr<ExampleGradients> no_gradients() const = 0;
  virtual double example_gradients(ImageRows images, std::span<const LossTerm> terms,
                                   ExampleGradients& out) = 0;

  // Replaces the content of `out` by the gradient that accumulate() adds, as a sum of any number of
  // parts; returns the sum of the terms.
  virtual double gradients(ImageRows images, std::span<const LossTerm> terms,
                           ExampleGradients& out) {
    return example_gradients(images, terms, out);
  }

  // Computes the gradient of the sum of the terms with respect to the images; returns that sum.
  // Images and gradients are rows of inputs() values.
  virtual double input_gradient(std::span<const float> images, std::span<const LossTerm> terms,
                                std::span<float> out) = 0;

  // Returns θ itself in the network's own order, for code that treats each weight separately. Parts
  // of it may be padding, which is zero in every gradient and must stay zero in θ. Valid until the
  // next call: if θ is on a GPU, this is a copy, which is written back before the network is next
  // used.
  virtual std::span<float> weights() = 0;
  std::span<const float> weights() const { return const_cast<Network*>(this)->weights(); }

  // θ and the accumulated gradient as flat vectors, in the order of PyTorch's parameters().
  virtual std::vector<float> parameters() const = 0;
  virtual void set_parameters(std::span<const float> values) = 0;
  virtual std::vector<float> gradient() const = 0;

  // Returns the values of state(), in the same order, with PyTorch's names.
  virtual NamedTensors tensors() const {
    const std::vector<float> values = parameters();
    return {{"parameters", {static_cast<std::int64_t>(values.size())}, values}};
  }

  // Everything between two steps that the next steps depend on: θ, and whatever else training
  // changes (the running statistics of batch normalisation). For checkpoints.
  virtual std::vector<float> state() const { return parameters(); }
  virtual void set_state(std::span<const float> values) { set_parameters(values); }

  // Saves or restores state() (core/files/archive.h). Refuses the state of a network of another
  // size.
  void persist(Archive& archive) {
    archive.section("network");
    std::vector<float> values = state();
    archive.in_place(std::span(values));
    if (archive.is_reading()) set_state(values);
  }
};

}  // namespace gps
