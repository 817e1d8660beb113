#include "gps/training/evaluate.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>
#include <vector>

#include "gps/nn/softmax.h"

namespace gps {
namespace {

std::size_t answer_of(std::span<const float> logits) {
  return static_cast<std::size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

// `score_rows(images, out)` writes a row of scores for each image.
template <typename ScoreRows>
Evaluation evaluate_rows(const ScoreRows& score_rows, std::size_t classes, const Dataset& examples,
                         std::span<const Label> labels, const StopFlag* stop) {
  assert(examples.size() > 0);
  constexpr std::size_t kChunk = 256;
  const std::size_t bytes = examples.shape().bytes();
  std::vector<std::uint8_t> scratch(kChunk * bytes);
  std::vector<const std::uint8_t*> images;
  std::vector<float> logits(kChunk * classes);
  // Logits outside the mask stay at minus infinity: they are never the largest, and zero in a
  // softmax.
  std::vector<float> masked(classes, -std::numeric_limits<float>::infinity());

  struct Tally {
    std::size_t examples = 0;
    std::size_t right = 0;
    double loss = 0;
  };
  std::vector<Tally> tallies(classes);
  std::size_t right_unmasked = 0;
  Evaluation result;
  result.predicted.resize(classes);
  for (std::size_t first = 0; first < examples.size(); first += kChunk) {
    if (stop != nullptr) stop->check();
    const std::size_t count = std::min(kChunk, examples.size() - first);
    images.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
      images[k] = examples.image(first + k, {scratch.data() + k * bytes, bytes});
    }
    score_rows(ImageRows(images), std::span<float>(logits));
    for (std::size_t k = 0; k < count; ++k) {
      const auto all = std::span<const float>(logits).subspan(k * classes, classes);
      for (const Label allowed : labels) masked[allowed] = all[allowed];
      const std::span<const float> row = labels.empty() ? all : std::span<const float>(masked);
      const Label label = examples.label(first + k);
      Tally& tally = tallies[label];
      ++tally.examples;
      tally.loss += cross_entropy<float>(row, label);
      const std::size_t answer = answer_of(row);
      ++result.predicted[answer];
      if (answer == label) ++tally.right;
      if ((labels.empty() ? answer : answer_of(all)) == label) ++right_unmasked;
    }
  }

  std::size_t right = 0;
  double present = 0;
  for (const Tally& tally : tallies) {
    if (tally.examples == 0) continue;
    const auto n = static_cast<double>(tally.examples);
    present += 1;
    right += tally.right;
    result.loss += tally.loss;
    result.class_accuracy += static_cast<double>(tally.right) / n;
    result.class_loss += tally.loss / n;
  }
  const auto total = static_cast<double>(examples.size());
  result.accuracy = static_cast<double>(right) / total;
  result.unmasked_accuracy = static_cast<double>(right_unmasked) / total;
  result.loss /= total;
  result.class_accuracy /= present;
  result.class_loss /= present;
  return result;
}

}  // namespace

Evaluation evaluate(Network& network, const Dataset& examples, std::span<const Label> labels,
                    const StopFlag* stop) {
  return evaluate_rows([&](ImageRows images, std::span<float> out) { network.logits(images, out); },
                       network.classes(), examples, labels, stop);
}

Evaluation evaluate(Learner& learner, const Dataset& examples, std::span<const Label> labels,
                    const StopFlag* stop) {
  return evaluate_rows([&](ImageRows images, std::span<float> out) { learner.scores(images, out); },
                       learner.classes(), examples, labels, stop);
}

}  // namespace gps
