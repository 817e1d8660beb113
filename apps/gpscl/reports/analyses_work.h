// How `gpscl reproduce` does the analyses that the store does not have yet.
#pragma once

#include <filesystem>

#include "gps/core/work/executor.h"
#include "gps/core/work/stop.h"
#include "gps/reproduce/analyses.h"

namespace gps::cli {

struct AnalysesLeft {
  std::size_t count = 0;
  double seconds = 0;  // expected, on one core
};

// What of them is not recorded; with no store, all.
AnalysesLeft analyses_left(const Analyses& all, Store* store);

// Does those, with a line on standard error for each that ends; returns how many have failed. All
// of a kind must be of one benchmark. Ends early when `stop` is requested.
std::size_t do_analyses(const Analyses& all, const std::filesystem::path& data, Executor& executor,
                        Store& store, StopFlag& stop);

}  // namespace gps::cli
