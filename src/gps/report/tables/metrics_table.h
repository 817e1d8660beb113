// The metrics of one run.
#pragma once

#include "gps/experiments/result.h"
#include "gps/report/tables/table.h"

namespace gps {

// Returns every metric of the catalog in percent with two digits, "-" for a metric without a value.
// The accuracy among all classes comes last, if tasks have classes of their own.
Table metrics_table(const RunResult& result);

}  // namespace gps
