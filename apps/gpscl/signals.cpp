#include "signals.h"

#include <csignal>

#include "halt.h"

namespace gps::cli {
namespace {

// The signal handler writes these variables, so they must be static.
StopFlag stop_requested;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
volatile std::sig_atomic_t received =
    0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

extern "C" void request_stop(int signal_number) {
  received = signal_number;
  stop_requested.request();
  std::signal(signal_number, SIG_DFL);
}

}  // namespace

StopFlag& stop_on_signals() {
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
  [[maybe_unused]] static const bool is_told = (halt_as_told(stop_requested), true);
  return stop_requested;
}

void ignore_broken_pipes() { std::signal(SIGPIPE, SIG_IGN); }

int signal_exit_code() { return 128 + (received == 0 ? SIGINT : received); }

}  // namespace gps::cli
