#include "gps/training/evaluate.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "gps/nn/softmax.h"

namespace gps {
namespace {

// Images that go through the network in one call.
constexpr std::size_t kChunk = 256;
// Images that a worker takes at a time: whole chunks, so that each call has the same images,
// whoever makes it.
constexpr std::size_t kPart = 4 * kChunk;

// What a network says about one example.
struct RowAnswer {
  float loss = 0;
  Label label = 0;           // with the largest logit of the mask
  Label unmasked_label = 0;  // with the largest of all logits
};

// Returns the first of the largest logits, like std::max_element, but without branches: which one
// it is cannot be predicted.
Label answer_of(std::span<const float> logits) {
  std::size_t best = 0;
  float largest = logits[0];
  for (std::size_t k = 1; k < logits.size(); ++k) {
    const bool is_larger = logits[k] > largest;
    best = is_larger ? k : best;
    largest = is_larger ? logits[k] : largest;
  }
  return static_cast<Label>(best);
}

// Return the loss of a row, and what stands for it where losses are left out.
float loss_of(std::span<const float> row, Label label) {
  return static_cast<float>(cross_entropy<float>(row, label));
}
float finite_or_not(std::span<const float> row, Label label) {
  bool is_finite = std::isfinite(row[label]);
  for (const float logit : row) is_finite &= logit <= std::numeric_limits<float>::max();
  return is_finite ? 0 : std::numeric_limits<float>::quiet_NaN();
}

// Writes the answers for the examples [first, first + answers.size()). `score_rows(images, out)`
// writes a row of scores for each image, and `loss` is one of the functions above.
template <typename ScoreRows, typename LossOf>
void find_answers(const ScoreRows& score_rows, const LossOf& loss, std::size_t classes,
                  const Dataset& examples, std::size_t first, std::span<const Label> labels,
                  const StopFlag* stop, std::span<RowAnswer> answers) {
  const std::size_t bytes = examples.shape().bytes();
  const std::size_t most = std::min(kChunk, answers.size());
  std::vector<std::uint8_t> scratch(most * bytes);
  std::vector<const std::uint8_t*> images;
  std::vector<float> logits(most * classes);
  // Logits outside the mask stay at minus infinity: they are never the largest, and zero in a
  // softmax.
  std::vector<float> masked(classes, -std::numeric_limits<float>::infinity());
  for (std::size_t done = 0; done < answers.size(); done += kChunk) {
    if (stop != nullptr) stop->check();
    const std::size_t count = std::min(kChunk, answers.size() - done);
    images.resize(count);
    for (std::size_t k = 0; k < count; ++k)
      images[k] = examples.image(first + done + k, {scratch.data() + k * bytes, bytes});
    score_rows(ImageRows(images), std::span<float>(logits));
    for (std::size_t k = 0; k < count; ++k) {
      const auto all = std::span<const float>(logits).subspan(k * classes, classes);
      for (const Label allowed : labels) masked[allowed] = all[allowed];
      const std::span<const float> row = labels.empty() ? all : std::span<const float>(masked);
      RowAnswer& answer = answers[done + k];
      answer.loss = loss(row, examples.label(first + done + k));
      answer.label = answer_of(row);
      answer.unmasked_label = labels.empty() ? answer.label : answer_of(all);
    }
  }
}

// Adds up the answers in the order of the examples, so that the sums do not depend on who found
// which answer.
Evaluation summary_of(std::span<const RowAnswer> answers, const Dataset& examples,
                      std::size_t classes) {
  assert(!answers.empty());
  struct Tally {
    std::size_t examples = 0;
    std::size_t right = 0;
    double loss = 0;
  };
  std::vector<Tally> tallies(classes);
  std::size_t right_unmasked = 0;
  Evaluation result;
  result.predicted.resize(classes);
  for (std::size_t k = 0; k < answers.size(); ++k) {
    const RowAnswer& answer = answers[k];
    const Label label = examples.label(k);
    Tally& tally = tallies[label];
    ++tally.examples;
    tally.loss += static_cast<double>(answer.loss);
    ++result.predicted[answer.label];
    if (answer.label == label) ++tally.right;
    if (answer.unmasked_label == label) ++right_unmasked;
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
  const auto total = static_cast<double>(answers.size());
  result.accuracy = static_cast<double>(right) / total;
  result.unmasked_accuracy = static_cast<double>(right_unmasked) / total;
  result.loss /= total;
  result.class_accuracy /= present;
  result.class_loss /= present;
  return result;
}

template <typename ScoreRows>
Evaluation evaluate_rows(const ScoreRows& score_rows, std::size_t classes, const Dataset& examples,
                         std::span<const Label> labels, const StopFlag* stop) {
  std::vector<RowAnswer> answers(examples.size());
  find_answers(score_rows, loss_of, classes, examples, 0, labels, stop, answers);
  return summary_of(answers, examples, classes);
}

// Some examples of one test set.
struct TestPart {
  const TestSet& test;
  std::size_t first;
  std::span<RowAnswer> answers;
};

std::unique_ptr<Learner> copy_if_possible(const Learner& learner) {
  try {
    return learner.clone();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
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

std::vector<Evaluation> evaluate_accuracies(Learner& learner, std::span<const TestSet> tests,
                                            Executor& executor, const StopFlag* stop,
                                            const std::function<void(std::size_t)>& tested) {
  std::vector<std::vector<RowAnswer>> answers;
  for (const TestSet& test : tests) answers.emplace_back(test.examples.size());
  std::vector<TestPart> parts;
  for (std::size_t t = 0; t < tests.size(); ++t) {
    for (std::size_t first = 0; first < answers[t].size(); first += kPart) {
      const auto rest = std::span(answers[t]).subspan(first);
      parts.push_back({tests[t], first, rest.first(std::min(kPart, rest.size()))});
    }
  }

  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::size_t images_done = 0;
  const auto work_with = [&](Learner& own) {
    for (std::size_t k = next++; k < parts.size(); k = next++) {
      const TestPart& part = parts[k];
      find_answers([&](ImageRows images, std::span<float> out) { own.scores(images, out); },
                   finite_or_not, own.classes(), part.test.examples, part.first, part.test.labels,
                   stop, part.answers);
      if (!tested) continue;
      const std::lock_guard lock(mutex);
      images_done += part.answers.size();
      tested(images_done);
    }
  };
  // The learner itself is not used meanwhile: it may be copied at any time.
  if (const std::size_t idle = executor.idle(); idle > 0 && parts.size() > 1) {
    executor.for_each(std::min(idle + 1, parts.size()), [&](std::size_t) {
      if (next >= parts.size()) return;
      if (const std::unique_ptr<Learner> own = copy_if_possible(learner)) work_with(*own);
    });
  }
  work_with(learner);

  std::vector<Evaluation> results;
  for (std::size_t t = 0; t < tests.size(); ++t)
    results.push_back(summary_of(answers[t], tests[t].examples, learner.classes()));
  return results;
}

}  // namespace gps
