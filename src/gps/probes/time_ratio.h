// The time that the simulation takes in a finished run (Table 2 (a) and section 6.5 of the paper).
// Times are wall-clock times: runs at the same time shared the machine, and searches also used idle
// workers.
#pragma once

#include "gps/experiments/result.h"

namespace gps {

struct TimeRatio {
  double training = 0;    // seconds
  double simulation = 0;  // seconds to make and learn pseudo-tasks
  double ratio = 0;       // simulation/training
};

TimeRatio time_ratio(const RunResult& result);

}  // namespace gps
