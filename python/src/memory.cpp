// The memory for Python: arrays in, arrays out. What it does is in loop_memory.h; what users see is
// in gpscl/memory.py.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "gps/core/catalog.h"
#include "gps/policies/catalog.h"
#include "loop_memory.h"

namespace gps::python {
namespace {

py::dict decision_dict(const Decision& decision) {
  py::list trials;
  for (const Trial& trial : decision.trials)
    trials.append(py::make_tuple(as_dict(trial.plan), trial.outcome.loss, trial.outcome.accuracy));
  py::dict dict;
  dict["task"] = decision.task;
  dict["plan"] = as_dict(decision.plan);
  dict["quota"] = decision.quota;
  dict["trials"] = trials;
  return dict;
}

PolicyOptions policy_options(const std::string& text, const std::string& settings) {
  PolicyOptions options;
  set_policy(options, text);
  const PolicyEntry& entry = find(policy_catalog(), "policy", options.name);
  const nlohmann::json given = nlohmann::json::parse(settings);
  for (const auto& [key, value] : given.items()) {
    const Option* const option = find_option(entry.options, key);
    if (option == nullptr) {
      std::vector<std::string> keys;
      for (const Option& each : entry.options) keys.push_back(each.key);
      throw UsageError(
          keys.empty() ? fmt::format("policy '{}' has no option '{}'; it has none", text, key)
                       : unknown_name_text("option of policy '" + options.name + "'", key, keys));
    }
    options.settings[key] = value_from(*option, value);
  }
  return options;
}

// A LoopMemory that several threads may use. Every call gives up the GIL before it locks. The lock
// is recursive because a simulation may look at the memory.
class SharedMemory {
 public:
  SharedMemory(std::size_t examples, const std::string& budget, const std::string& policy,
               const std::string& settings, std::uint64_t seed, int classes, int tasks, int batch,
               std::size_t row_bytes)
      : memory_({.examples = examples,
                 .bytes = budget.empty() ? 0 : budget_in_bytes(budget),
                 .policy = policy_options(policy, settings),
                 .seed = seed,
                 .classes = classes,
                 .tasks = tasks,
                 .batch = batch,
                 .row_bytes = row_bytes}) {}

  // Calls work(memory) without the GIL.
  template <typename Work>
  auto alone(const Work& work) {
    const py::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    return work(memory_);
  }

  void begin_task(const py::array& labels, const std::optional<py::array>& ids) {
    std::vector<Label> y;
    read_numbers(whole_numbers(labels, "y"), "a label in y", y);
    std::vector<std::uint32_t> i = numbered(ids, y.size(), 0);
    if (i.size() != y.size())
      throw UsageError(
          fmt::format("begin_task() got {} indices for {} labels", i.size(), y.size()));
    alone([&](LoopMemory& memory) { memory.begin_task(std::move(y), std::move(i)); });
  }

  void observe(const std::optional<py::array>& ids, const py::array& labels,
               const std::optional<py::array>& rows) {
    std::vector<Label> y;
    read_numbers(whole_numbers(labels, "y"), "a label in y", y);
    const std::uint64_t observed =
        ids ? std::uint64_t{0} : alone([](LoopMemory& memory) { return memory.observed(); });
    const std::vector<std::uint32_t> i = numbered(ids, y.size(), observed);
    Offered batch{i, y};
    if (rows) {
      if (rows->ndim() < 1 || static_cast<std::size_t>(rows->shape(0)) != y.size())
        throw UsageError(fmt::format("x has {} rows for {} labels",
                                     rows->ndim() < 1 ? 0 : rows->shape(0), y.size()));
      const auto bytes = bytes_of(*rows, "x");
      batch.rows = bytes.data();
      batch.row_bytes = y.empty() ? 0 : bytes.size() / y.size();
      if (batch.row_bytes == 0 && !y.empty()) throw UsageError("a row of x has no bytes");
    }
    alone([&](LoopMemory& memory) { memory.observe(batch); });
  }

  // The same for a batch that is read at its addresses. Returns false, and does nothing, if another
  // thread uses the memory now.
  // REQUIRES: at the addresses are `count` indices and labels, as int64, and `count` rows of
  // `row_bytes` each, contiguous; and they stay there until this returns. An array that numpy()
  // makes would forbid resize_() of its tensor, an address does not. Therefore the bytes are read
  // with the GIL, and nobody is waited for: no other thread of Python can resize a tensor
  // meanwhile.
  bool observe_at(std::uintptr_t ids, std::uintptr_t labels, std::uintptr_t rows, std::size_t count,
                  std::size_t row_bytes) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return false;
    std::vector<Label> y;
    std::vector<std::uint32_t> i;
    read_numbers(std::span{reinterpret_cast<const std::int64_t*>(labels), count}, "a label in y",
                 y);
    read_numbers(std::span{reinterpret_cast<const std::int64_t*>(ids), count}, "an index in i", i);
    Offered batch{i, y};
    batch.rows = reinterpret_cast<const std::uint8_t*>(rows);
    batch.row_bytes = row_bytes;
    memory_.observe(batch);
    return true;
  }

  void end_epoch() {
    alone([](LoopMemory& memory) { memory.end_epoch(); });
  }

  // Ends the task. fetch(indices) returns the rows of chosen examples that nobody has given so far.
  // One call, so that a Ctrl-C, which Python raises between two calls, comes before or after it.
  void end_task(std::size_t row_bytes, const py::object& simulate, const py::object& fetch) {
    AskOutcome ask;
    if (!simulate.is_none()) {
      ask = [&simulate](const std::shared_ptr<AskedCandidate>& candidate) {
        const py::gil_scoped_acquire acquire;
        const auto [loss, accuracy] = simulate(candidate).cast<std::pair<double, double>>();
        return Outcome{loss, accuracy};
      };
    }
    const Holds holds = row_bytes == 0 ? Holds::indices : Holds::rows;
    const std::vector<std::uint32_t> missing =
        alone([&](LoopMemory& memory) { return memory.choose(holds, row_bytes, ask); });
    try {
      std::optional<py::array> rows;
      if (!missing.empty()) rows = fetch(as_numbers(missing)).cast<py::array>();
      const auto bytes = rows ? bytes_of(*rows, "rows") : std::span<const std::uint8_t>();
      alone([&](LoopMemory& memory) { memory.finish(bytes); });
    } catch (...) {
      alone([](LoopMemory& memory) { memory.cancel(); });
      throw;
    }
  }

  // Throws UsageError while a task is about to end.
  void check_can_change() {
    alone([](LoopMemory& memory) { memory.check_can_change(); });
  }

  py::array_t<std::int64_t> draw(std::size_t n) {
    return as_numbers(alone([&](LoopMemory& memory) { return memory.draw(n); }));
  }

  // Draws and copies in one step. Returns how many examples were drawn.
  std::size_t sample(std::size_t n, py::array& rows, py::array& labels) {
    const std::size_t most = std::min(n, size());
    const std::size_t row_bytes = memory_.row_bytes();
    const auto x = room_in(rows, most * row_bytes, "out");
    if (labels.dtype().kind() != 'i' || labels.itemsize() != sizeof(std::int64_t))
      throw UsageError("the labels of out must be int64");
    const auto y = room_in(labels, most * sizeof(std::int64_t), "the labels of out");
    return alone([&](LoopMemory& memory) {
      const std::vector<std::uint32_t> slots = memory.draw(most);
      for (std::size_t k = 0; k < slots.size(); ++k) {
        const Example& example = memory.examples()[slots[k]];
        if (row_bytes > 0) std::memcpy(x.data() + k * row_bytes, example.image.get(), row_bytes);
        const auto label = static_cast<std::int64_t>(example.label);
        std::memcpy(y.data() + k * sizeof(label), &label, sizeof(label));
      }
      return slots.size();
    });
  }

  void gather(const py::array& slots, py::array& out) {
    const Numbers numbers = whole_numbers(slots, "slots");
    const std::span<const std::int64_t> all{numbers.data(),
                                            static_cast<std::size_t>(numbers.size())};
    const auto room = room_in(out, all.size() * memory_.row_bytes(), "out");
    alone([&](LoopMemory& memory) { memory.gather(all, room); });
  }

  void gather_staged(const py::array& ids, py::array& out) {
    std::vector<std::uint32_t> all;
    read_numbers(whole_numbers(ids, "indices"), "an index", all);
    const auto room = room_in(out, all.size() * memory_.row_bytes(), "out");
    alone([&](LoopMemory& memory) { memory.gather_staged(all, room); });
  }

  py::bytes save() {
    const std::string bytes = alone([](LoopMemory& memory) { return memory.save(); });
    return py::bytes(bytes);
  }

  // Goes on from a state of a memory with rows of so many bytes; 0: of one without rows.
  void load(const py::array& state, std::size_t row_bytes) {
    const auto span = bytes_of(state, "state");
    const std::string bytes(reinterpret_cast<const char*>(span.data()), span.size());
    alone([&](LoopMemory& memory) {
      memory.check_can_change();
      LoopMemory restored = LoopMemory::restored(memory.options(), bytes);
      const std::size_t own = restored.holds() == Holds::rows ? restored.row_bytes() : 0;
      if (own != row_bytes)
        throw UsageError(fmt::format("the state has {}, but says that it has {}", rows_text(own),
                                     rows_text(row_bytes)));
      memory = std::move(restored);
    });
  }

  std::size_t size() {
    return alone([](LoopMemory& memory) { return memory.size(); });
  }

  // Reads something small, or makes arrays, for which the GIL is needed.
  template <typename Get>
  auto get(const Get& read) {
    std::unique_lock lock(mutex_, std::defer_lock);
    {
      const py::gil_scoped_release release;
      lock.lock();
    }
    return read(static_cast<const LoopMemory&>(memory_));
  }

 private:
  static std::string rows_text(std::size_t row_bytes) {
    return row_bytes == 0 ? "no rows" : fmt::format("rows of {} bytes", row_bytes);
  }

  static std::vector<std::uint32_t> numbered(const std::optional<py::array>& ids, std::size_t count,
                                             std::uint64_t first) {
    std::vector<std::uint32_t> all;
    if (ids) {
      read_numbers(whole_numbers(*ids, "i"), "an index in i", all);
      return all;
    }
    if (first + count > std::numeric_limits<std::uint32_t>::max())
      throw UsageError("a task has at most 2^32 - 1 examples");
    for (std::size_t k = 0; k < count; ++k) all.push_back(static_cast<std::uint32_t>(first + k));
    return all;
  }

  std::recursive_mutex mutex_;
  LoopMemory memory_;
};

}  // namespace

void bind_memory(py::module_& module) {
  using Shared = SharedMemory;
  const auto read = [](auto get) {
    return [get](Shared& self) {
      return self.get([&](const LoopMemory& memory) { return get(memory); });
    };
  };
  py::class_<Shared>(module, "LoopMemory")
      .def(py::init<std::size_t, const std::string&, const std::string&, const std::string&,
                    std::uint64_t, int, int, int, std::size_t>())
      .def("begin_task", &Shared::begin_task)
      .def("observe", &Shared::observe)
      .def("observe_at", &Shared::observe_at)
      .def("end_epoch", &Shared::end_epoch)
      .def("end_task", &Shared::end_task)
      .def("check_can_change", &Shared::check_can_change)
      .def("draw", &Shared::draw)
      .def("sample", &Shared::sample)
      .def("gather", &Shared::gather)
      .def("gather_staged", &Shared::gather_staged)
      .def("save", &Shared::save)
      .def("load", &Shared::load)
      .def("order",
           [](Shared& self, std::size_t n) {
             return as_numbers(self.alone([&](LoopMemory& memory) { return memory.order(n); }));
           })
      .def("__len__", &Shared::size)
      .def_property_readonly("policy",
                             read([](const LoopMemory& memory) { return memory.policy_text(); }))
      .def_property_readonly("future", read([](const LoopMemory& memory) {
                               const PolicyOptions& policy = memory.options().policy;
                               return policy.name == "gps" ? text_of(setting_of(policy, "future"))
                                                           : std::string("permutation");
                             }))
      .def_property_readonly("capacity",
                             read([](const LoopMemory& memory) { return memory.capacity(); }))
      .def_property_readonly("row_bytes",
                             read([](const LoopMemory& memory) { return memory.row_bytes(); }))
      .def_property_readonly("holds", read([](const LoopMemory& memory) {
                               constexpr const char* kNames[] = {"unknown", "indices", "rows"};
                               return std::string(kNames[static_cast<int>(memory.holds())]);
                             }))
      .def_property_readonly("nbytes",
                             read([](const LoopMemory& memory) { return memory.bytes(); }))
      .def_property_readonly("staged_bytes",
                             read([](const LoopMemory& memory) { return memory.staged_bytes(); }))
      .def_property_readonly("task", read([](const LoopMemory& memory) { return memory.task(); }))
      .def_property_readonly("epoch", read([](const LoopMemory& memory) { return memory.epoch(); }))
      .def_property_readonly("has_begun",
                             read([](const LoopMemory& memory) { return memory.has_begun(); }))
      .def_property_readonly("chooses_at_end",
                             read([](const LoopMemory& memory) { return memory.chooses_at_end(); }))
      .def_property_readonly("searches",
                             read([](const LoopMemory& memory) { return memory.searches(); }))
      .def_property_readonly("first_id",
                             read([](const LoopMemory& memory) { return memory.first_id(); }))
      .def_property_readonly(
          "indices", read([](const LoopMemory& memory) { return ids_of(memory.examples()); }))
      .def_property_readonly(
          "labels", read([](const LoopMemory& memory) { return labels_of(memory.examples()); }))
      .def_property_readonly(
          "tasks", read([](const LoopMemory& memory) { return tasks_of(memory.examples()); }))
      .def_property_readonly(
          "is_ring", read([](const LoopMemory& memory) { return rings_of(memory.examples()); }))
      .def_property_readonly("decisions", read([](const LoopMemory& memory) {
                               py::list all;
                               for (const Decision& decision : memory.decisions())
                                 all.append(decision_dict(decision));
                               return all;
                             }));
}

}  // namespace gps::python
