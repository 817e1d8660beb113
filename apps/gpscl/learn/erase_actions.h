// Calls of `gpscl learn` that remove images for good: --erase, --relearn and --keep-days.
#pragma once

#include "gps/core/work/executor.h"
#include "gps/core/work/stop.h"
#include "gps/deployment/state_folder.h"
#include "learn/learn_options.h"

namespace gps::cli {

// Whether the request is --erase or --relearn.
bool erases(const LearnRequest& request);

// Carries it out, and returns the exit code. REQUIRES: the lock of the folder.
int erase(const LearnRequest& request, StateFolder& folder, Executor& executor,
          const StopFlag& stop);

// Removes the images that are older than the state keeps them, and says how many on standard error.
// Returns that number. REQUIRES: the lock of the folder.
std::size_t expire_images(const StateFolder& folder, std::int64_t now);

// Seconds since 1970.
std::int64_t time_now();

}  // namespace gps::cli
