#include "gps/nn/torch/torch_loss.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

namespace gps {
namespace {

using torch::Tensor;

// Returns the sum over `count` rows of the term, starting at its row `first`.
Tensor summed_loss(const LossTerm& term, std::size_t first, std::size_t count, const Tensor& logits,
                   const Tensor& features) {
  const auto labels = [&] {
    std::vector<std::int64_t> wide(count);
    std::copy_n(term.labels.begin() + static_cast<std::ptrdiff_t>(first), count, wide.begin());
    return torch::tensor(wide).to(logits.device());
  };
  const auto targets = [&] {
    const auto part = term.targets.subspan(first * term.target_size, count * term.target_size);
    return torch::from_blob(
               const_cast<float*>(part.data()),
               {static_cast<std::int64_t>(count), static_cast<std::int64_t>(term.target_size)})
        .clone()
        .to(logits.device());
  };
  switch (term.loss) {
    case Loss::cross_entropy:
      return at::cross_entropy_loss(logits, labels(), {}, at::Reduction::Sum);
    case Loss::squared_error:
      return (logits - targets()).square().mean(1).sum();
    case Loss::sigmoid_cross_entropy:
      return at::binary_cross_entropy_with_logits(logits, targets(), {}, {}, at::Reduction::None)
          .mean(1)
          .sum();
    case Loss::logit:
      return logits.gather(1, labels().unsqueeze(1)).sum();
    case Loss::feature_distance:
      return (features - targets()).square().sum();
  }
  return {};
}

}  // namespace

Tensor loss_of(const TorchOutputs& outputs, std::span<const LossTerm> terms, std::size_t from,
               std::size_t to) {
  Tensor total;
  for (const LossTerm& term : terms) {
    const std::size_t first = std::max(term.first, from);
    const std::size_t end = std::min(term.first + term.rows(), to);
    if (first >= end) continue;
    const auto rows_of = [&](const Tensor& all) {
      return all.narrow(0, static_cast<std::int64_t>(first - from),
                        static_cast<std::int64_t>(end - first));
    };
    const Tensor loss =
        summed_loss(term, first - term.first, end - first, rows_of(outputs.logits),
                    outputs.features.defined() ? rows_of(outputs.features) : Tensor());
    const Tensor weighted = loss * (term.weight / static_cast<float>(term.rows()));
    total = total.defined() ? total + weighted : weighted;
  }
  return total;
}

}  // namespace gps
