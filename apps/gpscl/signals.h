// SIGINT and SIGTERM: a request to stop, which leaves time to keep what is finished. A second one
// ends the program at once.
#pragma once

#include "gps/core/stop.h"

namespace gps::cli {

// From now on, signals request this stop.
StopFlag& stop_on_signals();

// What the program exits with after a signal: 130 for SIGINT, 143 for SIGTERM; 0 if there was none.
int signal_exit_code();

}  // namespace gps::cli
