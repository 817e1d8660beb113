// SIGINT and SIGTERM: a request to stop, which leaves time to keep what is finished. A second one
// ends the program at once.
#pragma once

#include "gps/core/work/stop.h"

namespace gps::cli {

// From now on, signals request this stop.
StopFlag& stop_on_signals();

// What the program exits with when it was stopped: 130 after SIGINT, 143 after SIGTERM; 130 where
// another rank had the signal.
int signal_exit_code();

}  // namespace gps::cli
