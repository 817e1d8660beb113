// Calls of `gpscl learn` that remove images for good: --erase, --relearn and --keep-days.
#pragma once

#include "gps/core/work/executor.h"
#include "gps/core/work/stop.h"
#include "gps/deployment/state_folder.h"
#include "gps/deployment/stored/state_log.h"
#include "learn/learn_options.h"

namespace gps::cli {

// Whether the request is --erase or --relearn.
bool erases(const LearnRequest& request);

// Carries it out, and returns the exit code. REQUIRES: the lock of the folder.
int erase(const LearnRequest& request, StateFolder& folder, Executor& executor,
          const StopFlag& stop, StateLog& log);

// Removes the images that are older than the state keeps them, and says how many on standard error.
// Returns that number. REQUIRES: the lock of the folder of the log.
std::size_t expire_images(std::int64_t now, StateLog& log);

// Seconds since 1970.
std::int64_t time_now();

}  // namespace gps::cli
