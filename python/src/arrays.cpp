#include "arrays.h"

#include <fmt/format.h>

#include <string>

namespace gps::python {

Numbers whole_numbers(const py::array& values, const char* name) {
  if (values.ndim() != 1)
    throw UsageError(fmt::format("{} must have one dimension, has {}", name, values.ndim()));
  const char kind = values.dtype().kind();
  if (kind != 'i' && kind != 'u' && kind != 'b')
    throw UsageError(fmt::format("{} must be whole numbers, got {}", name,
                                 py::str(values.dtype()).cast<std::string>()));
  if (kind == 'u' && values.itemsize() == sizeof(std::uint64_t)) {
    // Those that 64 bits with a sign do not have would become negative.
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    const auto unsigned_ = py::array_t<std::uint64_t, py::array::c_style>::ensure(values);
    for (py::ssize_t k = 0; k < unsigned_.size(); ++k) {
      const std::uint64_t value = unsigned_.data()[k];
      if (value > kMost)
        throw UsageError(
            fmt::format("a number in {} must be at most {}, got {}", name, kMost, value));
    }
  }
  return Numbers::ensure(values);
}

py::array_t<std::int64_t> ids_of(const std::vector<Example>& examples) {
  return of_each(examples, [](const Example& example) { return example.id; });
}
py::array_t<std::int64_t> labels_of(const std::vector<Example>& examples) {
  return of_each(examples, [](const Example& example) { return example.label; });
}
py::array_t<std::int64_t> tasks_of(const std::vector<Example>& examples) {
  return of_each(examples, [](const Example& example) { return example.task; });
}
py::array_t<bool> rings_of(const std::vector<Example>& examples) {
  py::array_t<bool> out(static_cast<py::ssize_t>(examples.size()));
  bool* at = out.mutable_data();
  for (const Example& example : examples) *at++ = example.part == Part::ring;
  return out;
}

py::dict as_dict(const Plan& plan) {
  py::dict dict;
  for (const PlanKnob& knob : plan_knobs()) dict[knob.key] = plan.*knob.value;
  return dict;
}

std::span<const std::uint8_t> bytes_of(const py::array& rows, const char* name) {
  if ((rows.flags() & py::array::c_style) == 0)
    throw UsageError(fmt::format("{} must be contiguous", name));
  return {static_cast<const std::uint8_t*>(rows.data()), static_cast<std::size_t>(rows.nbytes())};
}

std::span<std::uint8_t> room_in(py::array& out, std::size_t bytes, const char* name) {
  if (!out.writeable()) throw UsageError(fmt::format("{} must be writeable", name));
  const auto whole = bytes_of(out, name);
  if (whole.size() < bytes)
    throw UsageError(fmt::format("{} has {} bytes, must have {}", name, whole.size(), bytes));
  return {static_cast<std::uint8_t*>(out.mutable_data()), bytes};
}

}  // namespace gps::python
