// The module _gpscl: the part of the Python package that is written in C++.
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "bindings.h"
#include "gps/core/errors.h"
#include "gps/core/version.h"

namespace gps::python {
namespace {

constexpr auto kBetweenSignals = std::chrono::milliseconds(50);

// Messages stay as they are: the library's are one line each.
void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const Interrupted&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  } catch (const UsageError& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const DataError& error) {
    PyErr_SetString(PyExc_OSError, error.what());
  } catch (const Diverged& error) {
    PyErr_SetString(PyExc_ArithmeticError, error.what());
  } catch (const std::system_error& error) {  // std::filesystem::filesystem_error is one
    PyErr_SetString(PyExc_OSError, error.what());
  }
}

}  // namespace

void interruptible(const std::function<void(const StopFlag& stop)>& work) {
  StopFlag stop;
  std::mutex mutex;
  std::condition_variable ended;
  bool is_done = false;
  std::exception_ptr thrown;
  std::exception_ptr raised;  // by the handler of a signal
  {
    const py::gil_scoped_release release;
    std::thread worker([&] {
      try {
        work(stop);
      } catch (...) {
        thrown = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      is_done = true;
      ended.notify_all();
    });
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, kBetweenSignals, [&] { return is_done; })) {
      lock.unlock();
      {
        const py::gil_scoped_acquire acquire;
        if (!raised && PyErr_CheckSignals() != 0) {
          raised = std::make_exception_ptr(py::error_already_set());
          stop.request();
        }
      }
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (raised) std::rethrow_exception(raised);
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace gps::python

PYBIND11_MODULE(_gpscl, m) {
  m.doc() = "The C++ part of gpscl. Use the package gpscl instead.";
  m.attr("version") = gps::kVersion;
  pybind11::register_exception_translator(&gps::python::translate);
  gps::python::bind_memory(m);
  gps::python::bind_experiments(m);
}
