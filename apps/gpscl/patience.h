// How long the program waits for other programs: for those that write to the same store, and for a
// server to answer a connection. The environment variable GPSCL_PATIENCE sets the time in seconds,
// from 0 to 1000000. It is for tests: they wait for a day, so that a slow machine makes no
// difference, or not at all.
#pragma once

#include <chrono>
#include <optional>

#include "gps/experiments/store/store.h"

namespace gps::cli {

// Returns what GPSCL_PATIENCE says, or nothing if it is not set. Throws UsageError if its value is
// invalid.
std::optional<std::chrono::milliseconds> patience_as_told();

// Returns `options` with the patience that GPSCL_PATIENCE says, if it is set.
Store::Options store_options(Store::Options options = {});

}  // namespace gps::cli
