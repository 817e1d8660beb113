// The metrics of one run.
#pragma once

#include "gps/experiments/result.h"
#include "gps/report/tables/table.h"

namespace gps {

// Returns every metric of the catalog in percent with two digits, "-" for a metric without a value.
// If tasks have classes of their own, the metrics that have a value come twice: "average accuracy,
// all classes" and so on, then "average accuracy, own classes" (experiments/leading.h).
Table metrics_table(const RunResult& result);

}  // namespace gps
