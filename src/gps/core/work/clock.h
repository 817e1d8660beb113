// Time as an argument. Code that measures time calls a clock: the steady clock, unless the caller
// (a test, for example) passes another.
#pragma once

#include <chrono>
#include <functional>

namespace gps {

using Clock = std::function<double()>;  // seconds since an arbitrary moment

inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Returns the time stamp for records: seconds since 1970.
inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace gps
