// How long a training step takes, for people who want to know how long they will wait.
#pragma once

#include "gps/core/work/clock.h"
#include "gps/learners/learner.h"
#include "gps/training/trainer.h"

namespace gps {

// Returns the seconds of one step on this task, as fast as it went of a few steps that a copy of
// the learner takes. Neither the learner nor the memory changes. Takes a few steps' time.
double step_seconds(const Learner& learner, const Memory& memory, const Task& task,
                    const TrainOptions& options, const Clock& clock = steady_seconds);

}  // namespace gps
