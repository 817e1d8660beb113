// Softmax and cross entropy of a single row of logits, without overflow for large ones. Losses that
// are trained on have kernels of their own (mlp/fused_mlp_kernels.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

namespace gps {

// Replaces each logit by exp(logit - largest logit), and returns the sum of these. REQUIRES: at
// least one logit, here and below.
inline float exponentials(std::span<float> logits) {
  const float largest = *std::max_element(logits.begin(), logits.end());
  float sum = 0;
  for (float& value : logits) sum += value = std::exp(value - largest);
  return sum;
}

// Replaces the logits by their softmax.
inline void softmax(std::span<float> logits) {
  const float sum = exponentials(logits);
  for (float& value : logits) value /= sum;
}

// Returns -log softmax(logits)[label], with exponentials and their sum of type Sum. A logit of
// minus infinity is a class that cannot be. NaN if one of the logits is NaN or plus infinity, or if
// all are minus infinity.
template <std::floating_point Sum>
double cross_entropy(std::span<const float> logits, std::size_t label) {
  const float largest = *std::max_element(logits.begin(), logits.end());
  Sum sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<Sum>(logit - largest));
  // The order of these operations decides about the last bits of results, so it is kept.
  if constexpr (std::is_same_v<Sum, float>) {
    return static_cast<double>(std::log(sum) + largest - logits[label]);
  } else {
    return std::log(sum) + static_cast<Sum>(largest - logits[label]);
  }
}

}  // namespace gps
