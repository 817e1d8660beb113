// A whole stream imagined from its first task: task 1 is the task itself, and each later task is
// the same images with their pixels permuted, as in simulation/futures/permutation. Unlike the
// future of GPS it has test images, so that a rehearsal can score all tasks of the stream: the
// current, the earlier and the coming ones.
//
// All candidates of a search see the same tasks, and a candidate that trains less sees the first
// examples of the same order (common random numbers).
#pragma once

#include <cstdint>
#include <vector>

#include "gps/core/rng.h"
#include "gps/data/task.h"

namespace gps {

class ImaginedStream {
 public:
  // Holds back `tested` examples of the task, the same number of each class as far as possible and
  // at most half of a class. All random draws come from `rng`. REQUIRES: tasks >= 1; the task has
  // at least one class with two examples.
  ImaginedStream(const Task& first, int tasks, std::size_t tested, const Rng& rng);

  int tasks() const { return static_cast<int>(maps_.size()); }
  const std::vector<Label>& labels() const { return first_.labels; }
  const Augmentation& augmentation() const { return first_.augmentation; }
  std::size_t examples() const { return first_.train.size(); }  // of each task, at most

  // Returns task k = 1, …, tasks() with this many examples; all if there are not so many.
  Task task(int k, std::size_t examples) const;
  // Returns the examples that were held back, as they look in task k.
  Dataset test(int k) const;

 private:
  Task first_;  // without what is held back
  Dataset held_back_;
  std::vector<PixelMap> maps_;  // that of the first task is empty: as it is
  Rng rng_;
};

}  // namespace gps
