// The step from one task to the next, gone through under several recipes: from the network and the
// memory as they are before a task, train on the task, and see how well old and new tasks are known
// then. Nothing is imagined: the task is the real one. Old tasks are judged by a fifth of the
// stored examples, which is held back from the trial, and the new one by examples of its own that
// are held back.
#pragma once

#include "gps/experiments/planning/rehearsal.h"

namespace gps {

struct Transition {
  const Task& task;
  const Learner& learner;  // θ_{i-1}
  const Memory& memory;    // M_{i-1}
  const Method& method;    // recipes replace parts of it
  bool among_all = true;   // judge among all classes; otherwise among those of the task
  Rng rng;                 // does not depend on the recipe
  const StopFlag* stop = nullptr;
};

// Returns the mean over the tasks so far, the new one included, of the accuracy averaged over the
// classes; 0 if the network dies. Changes nothing. REQUIRES: the recipe has the codec of the
// memory.
double try_transition(const Recipe& recipe, const Transition& transition);

// Returns a learner with these options and the weights of another one.
std::unique_ptr<Learner> retuned(const LearnerOptions& options, const Learner& learner);

}  // namespace gps
