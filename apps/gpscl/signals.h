// Handles SIGINT and SIGTERM. The first signal requests a stop, so that finished work can be saved.
// A second one ends the program at once.
#pragma once

#include "gps/core/work/stop.h"

namespace gps::cli {

// After this call, signals request a stop through the returned flag.
StopFlag& stop_on_signals();

// Returns the exit code of a stopped program: 130 after SIGINT, 143 after SIGTERM, and 130 if
// another rank received the signal.
int signal_exit_code();

// From now on, writing to a pipe that nobody reads is an error and does not end the program: for
// work that must not end unsaid.
void ignore_broken_pipes();

}  // namespace gps::cli
