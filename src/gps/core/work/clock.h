// Time as an argument: what has to know how much of it has passed asks a clock, which is the steady
// one unless the caller, such as a test, brings its own.
#pragma once

#include <chrono>
#include <functional>

namespace gps {

using Clock = std::function<double()>;  // seconds since some moment

inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What records are stamped with: seconds since 1970.
inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace gps
