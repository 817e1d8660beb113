#include "gps/nn/logit_loss.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "gps/nn/mlp/fused_mlp_kernels.h"

namespace gps {
namespace {

// Both return the mean over the classes and add `weight` times its gradient to `errors`.
double squared_error(const float* logits, std::span<const float> targets, float weight,
                     float* errors) {
  const auto classes = static_cast<float>(targets.size());
  double sum = 0;
  for (std::size_t c = 0; c < targets.size(); ++c) {
    const float difference = logits[c] - targets[c];
    sum += static_cast<double>(difference) * static_cast<double>(difference);
    errors[c] += 2 * weight / classes * difference;
  }
  return sum / static_cast<double>(classes);
}

double sigmoid_cross_entropy(const float* logits, std::span<const float> targets, float weight,
                             float* errors) {
  const auto classes = static_cast<float>(targets.size());
  double sum = 0;
  for (std::size_t c = 0; c < targets.size(); ++c) {
    const float x = logits[c];
    const float e = std::exp(-std::abs(x));
    sum += static_cast<double>(std::max(x, 0.0f) - x * targets[c] + std::log1p(e));
    const float sigmoid = x >= 0 ? 1 / (1 + e) : e / (1 + e);
    errors[c] += weight / classes * (sigmoid - targets[c]);
  }
  return sum / static_cast<double>(classes);
}

double squared_distance(const float* features, std::span<const float> targets) {
  double sum = 0;
  for (std::size_t f = 0; f < targets.size(); ++f) {
    const float difference = features[f] - targets[f];
    sum += static_cast<double>(difference) * static_cast<double>(difference);
  }
  return sum;
}

}  // namespace

double loss_of_outputs(std::span<const LossTerm> terms, const NetworkOutputs& outputs,
                       float* errors) {
  const std::size_t classes = outputs.classes;
  std::fill_n(errors, outputs.rows * outputs.stride, 0.0f);
  double total = 0;
  for (const LossTerm& term : terms) {
    const std::size_t count = term.rows();
    assert(term.first + count <= outputs.rows);
    if (count == 0) continue;
    const float weight = term.weight / static_cast<float>(count);
    const auto targets = [&](std::size_t k) {
      return term.targets.subspan(k * term.target_size, term.target_size);
    };
    double sum = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t row = term.first + k;
      const float* logits = outputs.logits + row * outputs.stride;
      float* row_errors = errors + row * outputs.stride;
      switch (term.loss) {
        case Loss::cross_entropy:
          sum += static_cast<double>(kernels::cross_entropy(logits, classes, outputs.stride,
                                                            term.labels[k], weight, row_errors));
          break;
        case Loss::squared_error:
          sum += squared_error(logits, targets(k), weight, row_errors);
          break;
        case Loss::sigmoid_cross_entropy:
          sum += sigmoid_cross_entropy(logits, targets(k), weight, row_errors);
          break;
        case Loss::logit:
          sum += static_cast<double>(logits[term.labels[k]]);
          row_errors[term.labels[k]] += weight;
          break;
        case Loss::feature_distance:
          assert(outputs.features != nullptr);
          sum += squared_distance(outputs.features + row * outputs.feature_stride, targets(k));
          break;
      }
    }
    total += static_cast<double>(weight) * sum;
  }
  return total;
}

}  // namespace gps
