// gpscl learn STATE --evaluate DATA
#pragma once

#include "gps/core/work/executor.h"
#include "gps/core/work/stop.h"
#include "gps/deployment/state_folder.h"
#include "learn/learn_options.h"

namespace gps::cli {

// Tests the newest version on labelled images, and prints accuracies of tasks and classes. Returns
// the exit code.
int evaluate_data(const LearnRequest& request, const StateFolder& folder, Executor& executor,
                  const StopFlag& stop);

}  // namespace gps::cli
