// What loading a large set needs from its caller: workers, a request to stop, and somebody to tell.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "gps/core/work/executor.h"
#include "gps/core/work/stop.h"

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
  // What the user should know although loading goes on: one line, or several.
  std::function<void(const std::string&)> tell = {};

  void report(const LoadProgress& now) const {
    if (progress) progress(now);
  }
  // Throws Interrupted.
  void check_stop() const {
    if (stop != nullptr) stop->check();
  }
};

// Calls work(begin, end) for all of 0, …, count in small parts, side by side where there are
// workers, telling how it goes and looking at requests to stop in between.
void for_each_part(std::size_t count, const std::string& what, const LoadHooks& hooks,
                   const std::function<void(std::size_t begin, std::size_t end)>& work);

}  // namespace gps
