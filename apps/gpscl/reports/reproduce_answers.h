// What `gpscl reproduce` says of what the store has.
#pragma once

#include <string>
#include <vector>

#include "gps/experiments/store/store.h"
#include "reports/reproduce_plan.h"

namespace gps::cli {

// Text where no format was asked for. Throws UsageError for an unknown one.
Format format_of(const ReproduceOptions& options);

// All that the store has: each item and benchmark at the scale at which more claims were tried, at
// full scale where as many. Runs at the smoke scale are shown only where they are asked for.
void report_all(const ReproduceOptions& options);

// What was asked, of what the store has. Returns the exit code: 1 if a run of the plan or an
// analysis has failed, unless only a report was asked for.
int report_asked(const ReproduceOptions& options, const std::vector<Asked>& all,
                 const SweepPlan& plan, Store& store, std::size_t failed_analyses);

}  // namespace gps::cli
