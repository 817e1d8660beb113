#include "gps/deployment/predict.h"

#include <algorithm>
#include <numeric>

#include "gps/nn/backbone.h"
#include "gps/nn/softmax.h"

namespace gps {

std::vector<const std::uint8_t*> rows_for(const LearnState& state, ImageRows images,
                                          std::vector<std::uint8_t>& storage,
                                          const LoadHooks& hooks) {
  const LearnOptions& options = state.options;
  std::vector<const std::uint8_t*> rows(images.begin(), images.end());
  if (!options.has_backbone() || images.empty()) return rows;
  const NetworkOptions& network = options.method.network;
  storage = features_of(images, *open_backbone(network, options.shape), network, hooks);
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = storage.data() + i * options.rows().bytes();
  return rows;
}

std::vector<std::vector<Guess>> predict(LearnState& state, ImageRows rows, std::size_t top) {
  const std::size_t outputs = state.learner->classes();
  const std::size_t classes = state.classes.size();
  std::vector<float> scores(rows.size() * outputs);
  state.learner->scores(rows, scores);
  const std::size_t shown = std::min(top, classes);
  std::vector<std::vector<Guess>> all(rows.size());
  std::vector<Label> order(classes);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto of_row = std::span(scores).subspan(row * outputs, classes);
    const float sum = exponentials(of_row);
    std::iota(order.begin(), order.end(), Label{0});
    std::partial_sort(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
        [&](Label a, Label b) { return of_row[a] != of_row[b] ? of_row[a] > of_row[b] : a < b; });
    for (std::size_t k = 0; k < shown; ++k) all[row].push_back({order[k], of_row[order[k]] / sum});
  }
  return all;
}

}  // namespace gps
