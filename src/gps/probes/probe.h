// An analysis: something that the paper shows about tasks, futures and memories, on its own. Its
// options are a value with a canonical JSON form; `analyse(options, seed, …)` is a pure function of
// them that gives the same bits whatever the executor; what it returns is a plain struct with a
// JSON form. recorded.h keeps results in the store. Analyses of runs that are done (forgetting,
// distance of ratios, times) are plain functions of RunResults.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>

#include "gps/core/catalog.h"
#include "gps/core/work/stop.h"

namespace gps {

struct ProbeProgress {
  std::size_t done = 0;  // tasks learnt, real and pretended ones
  std::size_t expected = 0;
};

// What a caller may watch or interrupt.
struct ProbeHooks {
  const StopFlag* stop = nullptr;
  // Never called twice at a time, but not always on the same thread.
  std::function<void(const ProbeProgress&)> progress = nullptr;
};

// Counts the tasks of one analysis, on any thread.
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

// What there is, for `gpscl probe`: the name, what of the paper stands on it, what it finds out,
// and its own options.
const Catalog& probe_catalog();

}  // namespace gps
