// An identity that no other process will ever have, and whether another process is still running.
// When a process is gone, its claims can be given to others.
#pragma once

#include <cstdint>
#include <string>

namespace gps {

struct ProcessId {
  std::string host;      // its name and, as pids mean something in one only, the pid namespace
  std::int64_t pid = 0;  // may be given to another process one day …
  std::string start;     // … which then has started at another time, or after another boot
  bool operator==(const ProcessId&) const = default;
};

ProcessId this_process();

// REQUIRES: process.host == this_process().host.
bool is_alive(const ProcessId& process);

}  // namespace gps
