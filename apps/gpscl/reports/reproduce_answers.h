// Prints the results of `gpscl reproduce` from the store.
#pragma once

#include <string>
#include <vector>

#include "gps/experiments/store/store.h"
#include "reports/reproduce_runs.h"

namespace gps::cli {

// Returns the requested format, or text by default. Throws UsageError for an unknown one.
Format format_of(const ReproduceOptions& options);

// Writes everything that the store has. Each item and benchmark is shown at the scale at which more
// claims could be checked, or at full scale if both allow the same number. Runs at the smoke scale
// are shown only if the scale was named.
void report_all(const ReproduceOptions& options);

// Writes the requested items from the runs and analyses of the store. Returns the exit code: 1 if a
// run or an analysis failed, except with --no-run.
int report_asked(const ReproduceOptions& options, const std::vector<Asked>& all,
                 const SweepRuns& runs, Store& store, std::size_t failed_analyses);

}  // namespace gps::cli
