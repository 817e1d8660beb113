// Does the analyses for `gpscl reproduce` that the store does not have yet.
#pragma once

#include <filesystem>

#include "gps/core/work/executor.h"
#include "gps/core/work/stop.h"
#include "gps/reproduce/analyses.h"

namespace gps::cli {

struct AnalysesLeft {
  std::size_t count = 0;
  double seconds = 0;  // expected time on one core
};

// Counts the analyses that are not recorded in the store; without a store, all of them.
AnalysesLeft analyses_left(const Analyses& all, Store* store);

// Does the missing analyses, and prints a line on standard error for each that ends. Returns the
// number of failures. All analyses of a kind must use the same benchmark. Ends early when `stop` is
// requested.
std::size_t do_analyses(const Analyses& all, const std::filesystem::path& data, Executor& executor,
                        Store& store, StopFlag& stop);

}  // namespace gps::cli
