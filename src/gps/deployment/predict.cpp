#include "gps/deployment/predict.h"

#include <algorithm>
#include <numeric>

#include "gps/nn/softmax.h"

namespace gps {

std::vector<std::vector<Guess>> predict(LearnState& state, ImageRows images, std::size_t top) {
  const std::size_t outputs = state.learner->classes();
  const std::size_t classes = state.classes.size();
  std::vector<float> scores(images.size() * outputs);
  state.learner->scores(images, scores);
  const std::size_t shown = std::min(top, classes);
  std::vector<std::vector<Guess>> all(images.size());
  std::vector<Label> order(classes);
  for (std::size_t row = 0; row < images.size(); ++row) {
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
