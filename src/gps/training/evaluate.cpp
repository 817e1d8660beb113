#include "gps/training/evaluate.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>

namespace gps {
namespace {

// -log softmax(logits)[label], safe for any size of logit.
double cross_entropy(std::span<const float> logits, std::size_t label) {
  const float largest = *std::max_element(logits.begin(), logits.end());
  float sum = 0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  return static_cast<double>(std::log(sum) + largest - logits[label]);
}

}  // namespace

Evaluation evaluate(Network& network, const Dataset& examples, const StopFlag* stop) {
  assert(examples.size() > 0);
  constexpr std::size_t kChunk = 256;
  const std::size_t classes = network.classes();
  const std::size_t bytes = examples.shape().bytes();
  std::vector<std::uint8_t> scratch(kChunk * bytes);
  std::vector<const std::uint8_t*> images;
  std::vector<float> logits(kChunk * classes);

  struct Tally {
    std::size_t examples = 0;
    std::size_t right = 0;
    double loss = 0;
  };
  std::vector<Tally> tallies(classes);
  for (std::size_t first = 0; first < examples.size(); first += kChunk) {
    if (stop != nullptr) stop->check();
    const std::size_t count = std::min(kChunk, examples.size() - first);
    images.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
      images[k] = examples.image(first + k, {scratch.data() + k * bytes, bytes});
    }
    network.logits(images, logits);
    for (std::size_t k = 0; k < count; ++k) {
      const auto row = std::span<const float>(logits).subspan(k * classes, classes);
      const Label label = examples.label(first + k);
      Tally& tally = tallies[label];
      ++tally.examples;
      tally.loss += cross_entropy(row, label);
      const auto predicted = std::max_element(row.begin(), row.end()) - row.begin();
      if (predicted == static_cast<std::ptrdiff_t>(label)) ++tally.right;
    }
  }

  Evaluation result;
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
  result.loss /= total;
  result.class_accuracy /= present;
  result.class_loss /= present;
  return result;
}

}  // namespace gps
