// What a state has forgotten: by the last call, and since each task was learnt.
#pragma once

#include <string>

#include "gps/deployment/learn.h"

namespace gps {

// Accuracy of the tasks of a row directly after each was learnt, on all images held out then.
struct WhenLearnt {
  std::size_t images = 0;  // 0: the accuracies are not known
  double accuracy = 0;
  double among_all = 0;  // among all classes known then
};

// Of the tasks that share the row of `score`.
WhenLearnt when_learnt(const TaskStanding& score, const LearnState& state);

// Says what this call made worse, and what got worse since a task was learnt, for tasks that were
// learnt before the last call.
std::string forgotten_text(const LearnReport& report, const LearnState& state);

}  // namespace gps
