// What a state answers for images of each class, counted.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gps/core/work/stop.h"
#include "gps/deployment/learn_state.h"

namespace gps {

class Confusion {
 public:
  // REQUIRES: at least one answer is possible.
  Confusion(std::size_t labels, std::size_t answers)
      : counts_(labels, std::vector<std::size_t>(answers)) {}

  void add(Label label, std::size_t answer, std::size_t images = 1) {
    counts_[label][answer] += images;
  }
  // Adds the counts of another one with as many labels and answers, or fewer.
  void add(const Confusion& other);

  std::size_t labels() const { return counts_.size(); }
  std::size_t images() const;
  std::size_t images(Label label) const;
  // Images of a label by answer.
  std::span<const std::size_t> answers(Label label) const { return counts_[label]; }

  // Returns the share of images that get their own label. REQUIRES: there are images (of the
  // label).
  double accuracy() const;
  double accuracy(Label label) const;

 private:
  std::vector<std::vector<std::size_t>> counts_;  // [label][answer]
};

// Answers among the classes `among`, ascending, of which there is at least one. An image may have a
// label that the state does not know, at least state.classes.size(); it is answered with one that
// it knows. Throws Interrupted on a stop request.
Confusion confusion_of(LearnState& state, const Dataset& examples, std::span<const Label> among,
                       const StopFlag* stop = nullptr);

// Answers for the state's held-out images, among all classes.
Confusion confusion_of_tests(LearnState& state, const StopFlag* stop = nullptr);

}  // namespace gps
