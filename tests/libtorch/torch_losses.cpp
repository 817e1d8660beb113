#include "libtorch/torch_losses.h"

namespace gps::testing {

torch::Tensor row_losses(const torch::Tensor& all_logits, const torch::Tensor& features,
                         std::span<const LossTerm> terms) {
  torch::Tensor total = torch::zeros({all_logits.size(0)});
  for (const LossTerm& term : terms) {
    const auto first = static_cast<std::int64_t>(term.first);
    const auto rows = static_cast<std::int64_t>(term.rows());
    if (rows == 0) continue;
    const torch::Tensor logits = all_logits.narrow(0, first, rows);
    const torch::Tensor labels =
        torch::tensor(std::vector<std::int64_t>(term.labels.begin(), term.labels.end()));
    const auto targets = [&] {
      return torch::tensor(std::vector<float>(term.targets.begin(), term.targets.end()))
          .view({rows, -1});
    };
    torch::Tensor losses;
    switch (term.loss) {
      case Loss::cross_entropy:
        losses = torch::nn::functional::cross_entropy(
            logits, labels,
            torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kNone));
        break;
      case Loss::squared_error:
        losses = (logits - targets()).square().mean(1);
        break;
      case Loss::sigmoid_cross_entropy:
        losses =
            torch::binary_cross_entropy_with_logits(logits, targets(), {}, {}, at::Reduction::None)
                .mean(1);
        break;
      case Loss::logit:
        losses = logits.gather(1, labels.unsqueeze(1)).squeeze(1);
        break;
      case Loss::feature_distance:
        losses = (features.narrow(0, first, rows) - targets()).square().sum(1);
        break;
    }
    const torch::Tensor padded =
        torch::constant_pad_nd(losses, {first, all_logits.size(0) - first - rows});
    total = total + padded * (term.weight / static_cast<float>(rows));
  }
  return total;
}

}  // namespace gps::testing
