// An analysis studies one thing that the paper shows about tasks, futures or memories. Its options
// are a value with a canonical JSON form. `analyse(options, seed, …)` is a pure function of them
// that gives the same bits with any executor. It returns a plain struct with a JSON form.
// recorded.h keeps results in the store. Analyses of finished runs (forgetting, distance of ratios,
// times) are plain functions of RunResults.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>

#include "gps/core/catalog.h"
#include "gps/core/work/stop.h"

namespace gps {

struct ProbeProgress {
  std::size_t done = 0;  // tasks learnt, real and simulated
  std::size_t expected = 0;
};

// Lets a caller watch or stop an analysis.
struct ProbeHooks {
  const StopFlag* stop = nullptr;
  // Calls never overlap, but may come from different threads.
  std::function<void(const ProbeProgress&)> progress = nullptr;
};

// Counts the tasks learnt in one analysis. May be used from any thread.
class TaskTally {
 public:
  TaskTally(const ProbeHooks& hooks, std::size_t expected) : hooks_(hooks), now_{0, expected} {}
  void add() {
    const std::lock_guard lock(mutex_);
    ++now_.done;
    if (hooks_.progress) hooks_.progress(now_);
  }

 private:
  const ProbeHooks& hooks_;
  std::mutex mutex_;
  ProbeProgress now_;
};

// Lists the analyses for `gpscl probe`: name, part of the paper, and what each measures.
const Catalog& probe_catalog();

}  // namespace gps
