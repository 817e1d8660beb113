// f(x; θ): what every learner trains, whatever it is made of.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gps/nn/loss.h"

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

  // Writes images.size() rows of classes() logits. Not const because of scratch buffers; θ does not
  // change.
  virtual void logits(ImageRows images, std::span<float> out) = 0;

  // Forward and backward: adds the gradient of the sum of the terms to gradient() and returns that
  // sum.
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

  // θ and the accumulated gradient, flat, in one order fixed by the network.
  virtual std::vector<float> parameters() const = 0;
  virtual void set_parameters(std::span<const float> values) = 0;
  virtual std::vector<float> gradient() const = 0;
};

}  // namespace gps
