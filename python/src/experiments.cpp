#include "bindings.h"

namespace gps::python {

void bind_experiments(py::module_& /*module*/) {}

}  // namespace gps::python
