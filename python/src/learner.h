// A classifier that keeps learning (src/gps/deployment), for Python (gpscl/learner.py).
#pragma once

#include <pybind11/pybind11.h>

namespace gps::python {

void bind_learner(pybind11::module_& m);

}  // namespace gps::python
