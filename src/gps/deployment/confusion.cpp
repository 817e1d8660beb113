#include "gps/deployment/confusion.h"

#include <algorithm>
#include <numeric>

#include "gps/deployment/held_out.h"
#include "gps/deployment/task_groups.h"

namespace gps {

void Confusion::add(const Confusion& other) {
  for (std::size_t label = 0; label < other.counts_.size(); ++label) {
    for (std::size_t answer = 0; answer < other.counts_[label].size(); ++answer)
      counts_[label][answer] += other.counts_[label][answer];
  }
}

std::size_t Confusion::images() const {
  std::size_t sum = 0;
  for (std::size_t label = 0; label < counts_.size(); ++label)
    sum += images(static_cast<Label>(label));
  return sum;
}

std::size_t Confusion::images(Label label) const {
  const std::vector<std::size_t>& counts = counts_[label];
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

double Confusion::accuracy() const {
  std::size_t right = 0;
  for (std::size_t label = 0; label < counts_.size(); ++label) {
    if (label < counts_[label].size()) right += counts_[label][label];
  }
  return static_cast<double>(right) / static_cast<double>(images());
}

double Confusion::accuracy(Label label) const {
  const std::vector<std::size_t>& counts = counts_[label];
  const std::size_t right = label < counts.size() ? counts[label] : 0;
  return static_cast<double>(right) / static_cast<double>(images(label));
}

Confusion confusion_of(LearnState& state, const Dataset& examples, std::span<const Label> among,
                       const StopFlag* stop) {
  constexpr std::size_t kChunk = 256;
  const std::size_t bytes = examples.shape().bytes();
  const std::size_t outputs = state.learner->classes();
  Confusion confusion(static_cast<std::size_t>(examples.classes()), state.classes.size());
  std::vector<std::uint8_t> scratch(kChunk * bytes);
  std::vector<const std::uint8_t*> images;
  std::vector<float> scores(kChunk * outputs);
  for (std::size_t first = 0; first < examples.size(); first += kChunk) {
    if (stop != nullptr) stop->check();
    images.resize(std::min(kChunk, examples.size() - first));
    for (std::size_t k = 0; k < images.size(); ++k)
      images[k] = examples.image(first + k, {scratch.data() + k * bytes, bytes});
    state.learner->scores(images, std::span(scores).first(images.size() * outputs));
    for (std::size_t k = 0; k < images.size(); ++k) {
      const auto row = std::span(scores).subspan(k * outputs, outputs);
      const auto answer = std::max_element(among.begin(), among.end(),
                                           [&](Label a, Label b) { return row[a] < row[b]; });
      confusion.add(examples.label(first + k), *answer);
    }
  }
  return confusion;
}

Confusion confusion_of_tests(LearnState& state, const StopFlag* stop) {
  const std::size_t classes = state.classes.size();
  Confusion all(classes, classes);
  for (const TaskGroup& group : tested_groups(state)) {
    const Dataset examples =
        tests_of(state.tests, group.first, state.options.rows(), static_cast<int>(classes));
    all.add(confusion_of(state, examples, state.labels(), stop));
  }
  return all;
}

}  // namespace gps
