// Whether a version that has just learnt a task may be used, judged by its answers on the held-out
// images. The bounds are those of training/health.h: nothing is said of fewer than 20 images.
#pragma once

#include <string>
#include <vector>

#include "gps/deployment/learn.h"

namespace gps {

// Returns what is wrong, one clause each, without options:
// - On the new task, the network is no better than guessing among the classes of the task, or gives
//   one answer for all images.
// - On the test images of all tasks, the same holds among all classes.
// - On the test images of the earlier tasks, accuracy among the classes of each task fell by more
//   than half of what it was above guessing, against the version before.
// The last two are not asked of a learner that replays nothing: it forgets, and answers with the
// newest classes.
// REQUIRES: the scores of the report are complete.
std::vector<std::string> problems_of(const LearnReport& report, bool learner_replays);

// Returns whether the version before the call was already no better than guessing on the test
// images of the earlier tasks, among the classes of each task.
bool guessed_before(const LearnReport& report);

}  // namespace gps
