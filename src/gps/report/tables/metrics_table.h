// The metrics of one run.
#pragma once

#include "gps/experiments/result.h"
#include "gps/report/tables/table.h"

namespace gps {

// Every metric of the catalog in percent with two digits, "-" for what has no value; the accuracy
// among all classes last, where tasks have classes of their own.
Table metrics_table(const RunResult& result);

}  // namespace gps
