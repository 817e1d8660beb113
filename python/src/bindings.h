// What the bindings for Python share. Everything in python/src is in the namespace gps::python.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace gps::python {

namespace py = pybind11;

void bind_candidate(py::module_& module);
void bind_memory(py::module_& module);
void bind_experiments(py::module_& module);

}  // namespace gps::python
