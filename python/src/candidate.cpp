// A candidate of GPS's search for Python (gpscl/candidate.py): its memory, and the future that it
// is tried on.
#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <vector>

#include "arrays.h"
#include "asked_gps.h"

namespace gps::python {
namespace {

// Copies the rows that the candidate's memory has. Returns the positions of the others, which are
// examples of the current task.
py::array_t<std::int64_t> gather_candidate(const AskedCandidate& candidate, const py::array& slots,
                                           py::array& out) {
  const Numbers numbers = whole_numbers(slots, "slots");
  const Memory& memory = candidate.memory();
  const std::size_t row_bytes = memory.image_bytes();
  const auto count = static_cast<std::size_t>(numbers.size());
  const auto room = room_in(out, count * row_bytes, "out");
  std::vector<std::size_t> missing;
  for (std::size_t k = 0; k < count; ++k) {
    const std::int64_t slot = numbers.data()[k];
    if (slot < 0 || static_cast<std::size_t>(slot) >= memory.size())
      throw UsageError(fmt::format("slot {} is not between 0 and {}", slot, memory.size()));
    const Example& example = memory[static_cast<std::size_t>(slot)];
    if (example.image == nullptr) {
      missing.push_back(k);
    } else if (row_bytes > 0) {
      std::memcpy(room.data() + k * row_bytes, example.image.get(), row_bytes);
    }
  }
  return as_numbers(missing);
}

py::array_t<std::int64_t> ids_of(const Dataset& data) {
  std::vector<std::uint32_t> ids;
  for (std::size_t row = 0; row < data.size(); ++row) ids.push_back(data.id(row));
  return as_numbers(ids);
}

py::array_t<std::int64_t> labels_of(const Dataset& data) {
  std::vector<Label> labels;
  for (std::size_t row = 0; row < data.size(); ++row) labels.push_back(data.label(row));
  return as_numbers(labels);
}

}  // namespace

void bind_candidate(py::module_& module) {
  using Candidate = AskedCandidate;
  py::class_<Candidate, std::shared_ptr<Candidate>>(module, "LoopCandidate")
      .def_property_readonly("number", &Candidate::number)
      .def_property_readonly("plan", [](const Candidate& self) { return as_dict(self.plan()); })
      .def_property_readonly("indices",
                             [](const Candidate& self) { return ids_of(self.memory().examples()); })
      .def_property_readonly(
          "labels", [](const Candidate& self) { return labels_of(self.memory().examples()); })
      .def_property_readonly(
          "tasks", [](const Candidate& self) { return tasks_of(self.memory().examples()); })
      .def_property_readonly(
          "is_ring", [](const Candidate& self) { return rings_of(self.memory().examples()); })
      .def("gather", &gather_candidate)
      .def("advance",
           [](Candidate& self) {
             Candidate::Change change;
             {
               const py::gil_scoped_release release;
               change = self.advance();
             }
             return py::make_tuple(as_numbers(change.kept), as_numbers(change.added));
           })
      .def_property_readonly("ended", &Candidate::ended)
      .def("again", &Candidate::again)
      // Of the scene, which all candidates of a search share.
      .def_property_readonly("task",
                             [](const Candidate& self) { return self.scene().now().number; })
      .def_property_readonly("pseudo_tasks",
                             [](const Candidate& self) { return self.scene().pseudo_tasks(); })
      .def_property_readonly(
          "epochs", [](const Candidate& self) { return self.scene().options().training.epochs; })
      .def_property_readonly(
          "batch", [](const Candidate& self) { return self.scene().options().training.batch; })
      .def_property_readonly(
          "is_balanced",
          [](const Candidate& self) { return self.scene().options().score == Score::balanced; })
      .def_property_readonly("seed", [](const Candidate& self) { return self.scene().seed(); })
      .def_property_readonly("held_back",
                             [](const Candidate& self) { return ids_of(self.scene().held_back()); })
      .def("pseudo_task",
           [](const Candidate& self, int k) { return ids_of(self.scene().pseudo_task(k).train); })
      .def_property_readonly("task_indices",
                             [](const Candidate& self) { return ids_of(self.scene().now().train); })
      .def_property_readonly(
          "task_labels", [](const Candidate& self) { return labels_of(self.scene().now().train); });
}

}  // namespace gps::python
