// What loading a large set needs from its caller: workers, a request to stop, and somebody to tell.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "gps/core/executor.h"
#include "gps/core/stop.h"

namespace gps {

struct LoadProgress {
  enum class Unit { things, bytes };
  std::string what;          // "unpacking cifar-10-binary.tar.gz"
  std::uint64_t done = 0;    // of `total`, in units that depend on what is done
  std::uint64_t total = 0;   // 0: not known, as when waiting for another process
  Unit unit = Unit::things;  // bytes: worth telling how many, and how fast they come
};

struct LoadHooks {
  Executor* executor = nullptr;  // null: this thread does it all
  const StopFlag* stop = nullptr;
  // Never called twice at a time, but not always on the same thread.
  std::function<void(const LoadProgress&)> progress = {};

  void report(const LoadProgress& now) const {
    if (progress) progress(now);
  }
  // Throws Interrupted.
  void check_stop() const {
    if (stop != nullptr) stop->check();
  }
};

}  // namespace gps
