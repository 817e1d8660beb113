// The identity of a process, which no other process ever has, and whether a process is still
// running. The claims of a process that is gone can be given to others.
#pragma once

#include <cstdint>
#include <string>

namespace gps {

struct ProcessId {
  std::string host;      // its name and pid namespace, because pids are valid only in one namespace
  std::int64_t pid = 0;  // can later belong to another process …
  std::string start;     // … which has another start time or boot
  bool operator==(const ProcessId&) const = default;
};

ProcessId this_process();

// REQUIRES: process.host == this_process().host.
bool is_alive(const ProcessId& process);

}  // namespace gps
