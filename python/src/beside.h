// Long work for Python: it is done on another thread without the interpreter's lock (GIL), while
// the calling thread tells Python what happens and looks for Ctrl-C.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "gps/core/work/stop.h"
#include "gps/data/loading.h"

namespace gps::python {

// Things that happened, on any thread, until the calling thread has told Python of them. Of the
// progress of one thing only the latest state is kept.
class News {
 public:
  using Event = std::function<pybind11::object()>;  // called with the GIL

  // Replaces an event with the same key that was not told yet; an empty key replaces nothing.
  void add(const std::string& key, Event event);

  // Calls listener(event) for each event, in their order. REQUIRES: the GIL.
  void tell(const pybind11::object& listener);

 private:
  std::mutex mutex_;
  std::vector<std::pair<std::string, Event>> events_;
};

// Returns hooks that add ("load", what, done, total) and ("tell", lines).
LoadHooks loading_news(News& news, Executor& executor, const StopFlag& stop);

// Calls work() on a thread of its own and returns when it has ended; throws what it threw.
// Meanwhile tells `listener` (a callable, or None) the news, ten times a second, on this thread. If
// a signal handler raises (Ctrl-C: KeyboardInterrupt) or the listener does, requests the stop,
// waits for the work to end, and throws that. REQUIRES: the GIL.
void do_beside(StopFlag& stop, News& news, const pybind11::object& listener,
               const std::function<void()>& work);

}  // namespace gps::python
