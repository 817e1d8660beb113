// What the simulation costs (Table 2 (a) and section 6.5 of the paper), of a run that is done.
// Times are wall-clock: with several runs at a time they have shared the machine, and with idle
// workers a search has used them.
#pragma once

#include "gps/experiments/result.h"

namespace gps {

struct TimeRatio {
  double training = 0;    // seconds
  double simulation = 0;  // likewise: pseudo-tasks made and learnt
  double ratio = 0;       // simulation/training
};

TimeRatio time_ratio(const RunResult& result);

}  // namespace gps
