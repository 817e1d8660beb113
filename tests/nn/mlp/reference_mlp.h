// The multi-layer perceptron of a textbook: plain loops in double precision, to check the fast one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "gps/core/rng.h"
#include "gps/nn/network.h"

namespace gps::testing {

class ReferenceMlp {
 public:
  // `values` as Network::parameters() lists them: for each layer weights [out][in], then
  // biases.
  ReferenceMlp(std::vector<std::size_t> sizes, const std::vector<float>& values)
      : parameters(values.begin(), values.end()), sizes_(std::move(sizes)) {}

  // The outputs of every layer for one image, the image itself first and the logits last.
  std::vector<std::vector<double>> forward(const std::uint8_t* image) const {
    std::vector<double> values;
    for (std::size_t k = 0; k < sizes_[0]; ++k) values.push_back(image[k] / 255.0);
    return forward(std::move(values));
  }
  std::vector<std::vector<double>> forward(std::vector<double> image) const {
    std::vector<std::vector<double>> values = {std::move(image)};
    const double* weight = parameters.data();
    for (std::size_t l = 1; l < sizes_.size(); ++l) {
      const std::vector<double>& in = values.back();
      const double* bias = weight + sizes_[l] * in.size();
      std::vector<double> out;
      for (std::size_t o = 0; o < sizes_[l]; ++o) {
        double sum = bias[o];
        for (const double value : in) sum += value * *weight++;
        out.push_back(l + 1 < sizes_.size() ? std::max(sum, 0.0) : sum);
      }
      weight = bias + sizes_[l];
      values.push_back(std::move(out));
    }
    return values;
  }

  static std::vector<double> softmax(std::vector<double> logits) {
    const double largest = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (double& value : logits) sum += value = std::exp(value - largest);
    for (double& value : logits) value /= sum;
    return logits;
  }

  double loss(ImageRows images, std::span<const LossTerm> terms) const {
    double total = 0;
    for (const LossTerm& term : terms) {
      for (std::size_t k = 0; k < term.labels.size(); ++k) {
        const auto shares = softmax(forward(images[term.first + k]).back());
        total -= static_cast<double>(term.weight) * std::log(shares[term.labels[k]]) /
                 static_cast<double>(term.labels.size());
      }
    }
    return total;
  }

  void step(ImageRows images, std::span<const LossTerm> terms, double learning_rate) {
    std::vector<double> gradient(parameters.size());
    for (const LossTerm& term : terms) {
      for (std::size_t k = 0; k < term.labels.size(); ++k) {
        add_gradient(images[term.first + k], term.labels[k],
                     static_cast<double>(term.weight) / static_cast<double>(term.labels.size()),
                     gradient);
      }
    }
    for (std::size_t p = 0; p < gradient.size(); ++p) parameters[p] -= learning_rate * gradient[p];
  }

  std::vector<double> parameters;

 private:
  void add_gradient(const std::uint8_t* image, Label label, double weight,
                    std::vector<double>& gradient) const {
    const auto values = forward(image);
    std::vector<double> error = softmax(values.back());
    error[label] -= 1;
    for (double& e : error) e *= weight;
    std::size_t end = parameters.size();
    for (std::size_t l = sizes_.size() - 1; l > 0; --l) {
      const std::vector<double>& in = values[l - 1];
      const std::size_t bias = end - error.size();
      const std::size_t first = bias - error.size() * in.size();
      std::vector<double> in_error(in.size());
      for (std::size_t o = 0; o < error.size(); ++o) {
        gradient[bias + o] += error[o];
        for (std::size_t k = 0; k < in.size(); ++k) {
          gradient[first + o * in.size() + k] += error[o] * in[k];
          if (in[k] > 0) in_error[k] += error[o] * parameters[first + o * in.size() + k];
        }
      }
      error = std::move(in_error);
      end = first;
    }
  }

  std::vector<std::size_t> sizes_;
};

// Random images, about half of their pixels black, and random labels.
struct RandomBatch {
  RandomBatch(std::size_t rows, std::size_t inputs, std::size_t classes, std::uint64_t seed = 1)
      : bytes(rows * inputs) {
    Rng rng(seed);
    for (auto& byte : bytes)
      byte = rng.index(2) == 0 ? 0 : static_cast<std::uint8_t>(rng.index(256));
    for (std::size_t r = 0; r < rows; ++r) {
      images.push_back(bytes.data() + r * inputs);
      labels.push_back(static_cast<Label>(rng.index(classes)));
    }
  }

  std::vector<std::uint8_t> bytes;
  std::vector<const std::uint8_t*> images;
  std::vector<Label> labels;
};

}  // namespace gps::testing
