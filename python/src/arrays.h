// Arrays of numpy as numbers and bytes, and back.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "bindings.h"
#include "gps/core/errors.h"
#include "gps/memory/memory.h"
#include "gps/memory/plan.h"

namespace gps::python {

using Numbers = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

// Whole numbers in one dimension, as 64 bits. Does not copy what has this form already.
Numbers whole_numbers(const py::array& values, const char* name);

// Replaces what is in `out`. Throws UsageError for a number that T does not have.
template <typename T>
void read_numbers(std::span<const std::int64_t> values, const char* name, std::vector<T>& out) {
  out.resize(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::int64_t value = values[k];
    if (value < 0 || value > static_cast<std::int64_t>(std::numeric_limits<T>::max()))
      throw UsageError(fmt::format("{} must be between 0 and {}, got {}", name,
                                   std::numeric_limits<T>::max(), value));
    out[k] = static_cast<T>(value);
  }
}

template <typename T>
void read_numbers(const Numbers& values, const char* name, std::vector<T>& out) {
  read_numbers(std::span{values.data(), static_cast<std::size_t>(values.size())}, name, out);
}

template <typename List>
py::array_t<std::int64_t> as_numbers(const List& values) {
  py::array_t<std::int64_t> out(static_cast<py::ssize_t>(values.size()));
  std::int64_t* at = out.mutable_data();
  for (const auto& value : values) *at++ = static_cast<std::int64_t>(value);
  return out;
}

template <typename Get>
py::array_t<std::int64_t> of_each(const std::vector<Example>& examples, const Get& get) {
  py::array_t<std::int64_t> out(static_cast<py::ssize_t>(examples.size()));
  std::int64_t* at = out.mutable_data();
  for (const Example& example : examples) *at++ = static_cast<std::int64_t>(get(example));
  return out;
}

// Of each example: its number, its label, its task, and whether it is in the class-balanced part.
py::array_t<std::int64_t> ids_of(const std::vector<Example>& examples);
py::array_t<std::int64_t> labels_of(const std::vector<Example>& examples);
py::array_t<std::int64_t> tasks_of(const std::vector<Example>& examples);
py::array_t<bool> rings_of(const std::vector<Example>& examples);

py::dict as_dict(const Plan& plan);

// The bytes of an array, which must be contiguous: what is written to others would be lost.
std::span<const std::uint8_t> bytes_of(const py::array& rows, const char* name);
// Room for so many bytes.
std::span<std::uint8_t> room_in(py::array& out, std::size_t bytes, const char* name);

}  // namespace gps::python
