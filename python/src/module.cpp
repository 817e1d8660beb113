// The module _gpscl: the part of the Python package that is written in C++.
#include <exception>
#include <system_error>

#include "bindings.h"
#include "gps/core/errors.h"
#include "gps/core/version.h"

namespace gps::python {
namespace {

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

}  // namespace gps::python

PYBIND11_MODULE(_gpscl, m) {
  m.doc() = "The C++ part of gpscl. Use the package gpscl instead.";
  m.attr("version") = gps::kVersion;
  pybind11::register_exception_translator(&gps::python::translate);
  gps::python::bind_candidate(m);
  gps::python::bind_memory(m);
  gps::python::bind_experiments(m);
}
