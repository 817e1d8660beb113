// Ends or pauses the program at an exact point, for tests and for debugging. The environment
// variable GPSCL_HALT says where, counted in stop points. A stop point is a moment at which a
// signal can end the work: there is one before each training step, real or simulated, and one
// before each batch that is evaluated.
//
//   GPSCL_HALT=stop@120   behaves as if SIGINT came at the 120th stop point
//   GPSCL_HALT=kill@120   behaves as if SIGKILL came there: nothing is cleaned up
//   GPSCL_HALT=pause@120  prints a line and waits there until SIGCONT comes
//   GPSCL_HALT=count      prints at the end how many stop points there were
//
// Stop points are counted over all workers. With one worker (--jobs 1), the n-th stop point is the
// same moment in every run of the same command.
#pragma once

#include "gps/core/work/stop.h"

namespace gps::cli {

// Makes `flag` stop the program as GPSCL_HALT says. Does nothing if the variable is not set. Throws
// UsageError if its value is invalid.
// REQUIRES: no other thread uses `flag` yet.
void halt_as_told(StopFlag& flag);

// Prints the line for GPSCL_HALT=count. To be called at the end of the program.
void tell_stop_points();

}  // namespace gps::cli
