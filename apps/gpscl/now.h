// The time that the store's records are compared with.
#pragma once

#include <chrono>

namespace gps::cli {

// Seconds since 1970.
inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace gps::cli
