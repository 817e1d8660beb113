// A request to stop. Any thread can read it, and a signal handler can set it.
#pragma once

#include <atomic>
#include <functional>
#include <utility>

#include "gps/core/errors.h"

namespace gps {

class StopFlag {
 public:
  // Async-signal-safe.
  void request() { requested_.store(true, std::memory_order_relaxed); }

  // Each call is a stop point: a moment at which the work can end.
  bool is_requested() const {
    if (at_stop_point_) at_stop_point_();
    return requested_.load(std::memory_order_relaxed);
  }

  // Throws Interrupted if a stop was requested. Cheap enough for every training step.
  void check() const {
    if (is_requested()) throw Interrupted();
  }

  // Sets a function that is called at every stop point, on the thread that reached it, before the
  // flag is read. With it a test ends or pauses the work at an exact point, however fast the
  // machine is. REQUIRES: no other thread uses this flag yet.
  void at_stop_points(std::function<void()> call) { at_stop_point_ = std::move(call); }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free);
  std::atomic<bool> requested_{false};
  std::function<void()> at_stop_point_;
};

}  // namespace gps
