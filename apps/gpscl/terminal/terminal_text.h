// Helpers for lines on a terminal.
#pragma once

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <string>

namespace gps::cli {

// Returns for example "1:05" or "2:03:04".
inline std::string clock_time(double seconds) {
  const auto whole = std::lround(seconds);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

// Returns the width of the terminal that standard error is connected to, or 80 if it is not a
// terminal.
inline std::size_t terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace gps::cli
