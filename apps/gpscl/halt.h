// Ends or pauses the program at an exact point, for tests and for debugging. The environment
// variable GPSCL_HALT says where, counted in stop points: the moments at which a signal could end
// the work, of which there is one before each training step, real or imagined, and one before each
// batch that is evaluated.
//
//   GPSCL_HALT=stop@120   as if SIGINT came at the 120th stop point
//   GPSCL_HALT=kill@120   as if SIGKILL came there: nothing is cleaned up
//   GPSCL_HALT=pause@120  says so, and waits there until SIGCONT comes
//   GPSCL_HALT=count      says at the end how many stop points there were
//
// With one worker, the n-th stop point is the same moment in every run of the same command.
#pragma once

#include "gps/core/work/stop.h"

namespace gps::cli {

// Does nothing if the variable is not set. Throws UsageError if it says nothing known.
// REQUIRES: no other thread uses `flag` yet.
void halt_as_told(StopFlag& flag);

// At the end of the program: the line that GPSCL_HALT=count asks for.
void tell_stop_points();

}  // namespace gps::cli
