// A loss is data: a learner describes a step as a short list of terms over rows of the batch, and
// the network executes it in the way that suits it best. Eqn. 2 of the paper, for example, has two
// terms:
//   {rows 0..9, cross entropy with these labels, weight 1}, {rows 10..19, cross entropy with those,
//   weight λ}.
#pragma once

#include <cstddef>
#include <span>

#include "gps/data/dataset.h"

namespace gps {

enum class Loss {
  cross_entropy,          // mean over the rows of  -log softmax(logits)[label]
  squared_error,          // mean over the rows and classes of  (logit - target)²: DER, HAL
  sigmoid_cross_entropy,  // mean over the rows and classes of
                          //   -target log σ(logit) - (1 - target) log(1 - σ(logit)): iCaRL
  logit,                  // mean over the rows of  logits[label]: OGD's directions
  feature_distance,       // mean over the rows of  ‖features - target‖²: HAL's anchors
};

// weight · loss over the rows [first, first + rows()). Terms may overlap.
struct LossTerm {
  std::size_t first = 0;
  std::span<const Label> labels = {};  // one per row, for losses that use labels
  float weight = 1;
  Loss loss = Loss::cross_entropy;
  std::span<const float> targets = {};  // [rows][target_size], for losses that use targets
  std::size_t target_size = 0;          // classes or features

  std::size_t rows() const {
    return target_size == 0 ? labels.size() : targets.size() / target_size;
  }
};

}  // namespace gps
