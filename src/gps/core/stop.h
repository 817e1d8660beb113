// A request to stop, readable from any thread and writable from a signal handler.
#pragma once

#include <atomic>

#include "gps/core/errors.h"

namespace gps {

class StopFlag {
 public:
  // Async-signal-safe.
  void request() { requested_.store(true, std::memory_order_relaxed); }
  bool is_requested() const { return requested_.load(std::memory_order_relaxed); }

  // Throws Interrupted if a stop was requested. Cheap enough for every training step.
  void check() const {
    if (is_requested()) throw Interrupted();
  }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free);
  std::atomic<bool> requested_{false};
};

}  // namespace gps
