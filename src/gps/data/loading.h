// The services that loading a large set needs from its caller: workers, a stop flag, and functions
// that report progress and messages.
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
  std::uint64_t done = 0;    // out of `total`, in units that depend on the work
  std::uint64_t total = 0;   // 0 if not known, as when waiting for another process
  Unit unit = Unit::things;  // bytes: the number and the rate are worth showing
};

struct LoadHooks {
  Executor* executor = nullptr;  // null: this thread does all the work
  const StopFlag* stop = nullptr;
  // Never called by two threads at the same time, but not always by the same thread.
  std::function<void(const LoadProgress&)> progress = {};
  // Receives messages for the user that do not stop the loading: one line or several.
  // Names in the lines are printable(); a further line begins with two blanks.
  std::function<void(const std::string&)> tell = {};

  void report(const LoadProgress& now) const {
    if (progress) progress(now);
  }
  // Throws Interrupted.
  void check_stop() const {
    if (stop != nullptr) stop->check();
  }
};

// Splits 0, …, count - 1 into small parts and calls work(begin, end) for each, in parallel if there
// are workers. Reports progress and checks for a stop request between parts.
void for_each_part(std::size_t count, const std::string& what, const LoadHooks& hooks,
                   const std::function<void(std::size_t begin, std::size_t end)>& work);

}  // namespace gps
