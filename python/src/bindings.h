// What the bindings for Python share. Everything in python/src is in the namespace gps::python.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <functional>

#include "gps/core/work/stop.h"

namespace gps::python {

namespace py = pybind11;

void bind_memory(py::module_& module);
void bind_experiments(py::module_& module);

// Runs `work` on another thread, without the GIL, and waits for it. Looks for signals meanwhile: on
// Ctrl-C it requests a stop, waits until the work has ended, and raises KeyboardInterrupt. Throws
// what `work` throws. `work` takes the GIL (py::gil_scoped_acquire) whenever it calls Python.
// REQUIRES: the caller has the GIL.
void interruptible(const std::function<void(const StopFlag& stop)>& work);

}  // namespace gps::python
