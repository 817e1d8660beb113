#include "beside.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <thread>
#include <utility>

namespace py = pybind11;

namespace gps::python {

void News::add(const std::string& key, Event event) {
  const std::lock_guard lock(mutex_);
  if (!key.empty()) {
    const auto at = std::find_if(events_.begin(), events_.end(),
                                 [&](const auto& each) { return each.first == key; });
    if (at != events_.end()) {
      at->second = std::move(event);
      return;
    }
  }
  events_.emplace_back(key, std::move(event));
}

void News::tell(const py::object& listener) {
  std::vector<std::pair<std::string, Event>> events;
  {
    const std::lock_guard lock(mutex_);
    events.swap(events_);
  }
  if (listener.is_none()) return;
  for (const auto& [key, event] : events) listener(event());
}

LoadHooks loading_news(News& news, Executor& executor, const StopFlag& stop) {
  return {.executor = &executor,
          .stop = &stop,
          .progress =
              [&news](const LoadProgress& now) {
                news.add("load",
                         [now] { return py::make_tuple("load", now.what, now.done, now.total); });
              },
          .tell =
              [&news](const std::string& lines) {
                news.add("", [lines] { return py::make_tuple("tell", lines); });
              }};
}

void do_beside(StopFlag& stop, News& news, const py::object& listener,
               const std::function<void()>& work) {
  constexpr std::chrono::milliseconds kBetween{100};
  std::mutex mutex;
  std::condition_variable changed;
  bool is_over = false;
  std::exception_ptr failed;
  std::thread worker([&] {
    try {
      work();
    } catch (...) {
      failed = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    is_over = true;
    changed.notify_all();  // with the lock: the other thread destroys `changed` soon after
  });
  std::exception_ptr raised;
  const auto look = [&] {
    if (raised) return;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      news.tell(listener);
    } catch (...) {
      raised = std::current_exception();
      stop.request();
    }
  };
  {
    const py::gil_scoped_release release;
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, kBetween, [&] { return is_over; })) {
      lock.unlock();
      {
        const py::gil_scoped_acquire acquire;
        look();
      }
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  look();  // the last news
  if (raised) std::rethrow_exception(raised);
  if (failed) std::rethrow_exception(failed);
}

}  // namespace gps::python
