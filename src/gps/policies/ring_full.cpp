// ER-Ring-Full: every class of every task seen so far has the same number of slots and keeps its
// newest examples.
#include <fmt/format.h>

#include "gps/policies/parts/class_rings.h"

namespace gps {
namespace {

class RingFull final : public MemoryPolicy {
 public:
  explicit RingFull(RingQuota quota) : rings_(quota) {}

  void begin_task(Memory& memory, const Task& task, const Rng& rng) override {
    rings_.begin_task(memory, task.number, class_sizes(task.train), rng);
  }
  void observe(Memory& memory, const Batch& batch, Rng& /*rng*/) override {
    for (std::size_t row = 0; row < batch.size(); ++row) rings_.offer(memory, batch, row);
  }
  void end_task(Memory& memory, const Task& task, const Rng& rng) override {
    rings_.end_task(memory, task.number, rng);
  }
  void persist(Archive& archive) override { archive(rings_); }
  void check_fits(const Memory& memory) const override { rings_.check_fits(memory); }

 private:
  ClassRings rings_;
};

// Rounded down, a class of a task could get no slot at all.
void check_floor(const StreamOutline& stream) {
  const int keys = stream.classes_of_all_tasks;
  if (stream.memory == 0 || stream.memory >= keys) return;
  throw OptionError(
      "ring-quota",
      fmt::format("floor needs a memory of at least tasks x classes ({}), got {}",
                  stream.classes_a_task == 0
                      ? fmt::format("{} for all tasks", keys)
                      : fmt::format("{} x {} = {}", stream.tasks, stream.classes_a_task, keys),
                  stream.memory));
}

}  // namespace

std::unique_ptr<MemoryPolicy> make_ring_full(RingQuota quota) {
  return std::make_unique<RingFull>(quota);
}

PolicyEntry ring_full_policy() {
  struct Options {
    RingQuota quota = RingQuota::deal;
  };
  static const OptionTable<Options> table = {
      choice("ring_quota", &Options::quota,
             {{"deal", RingQuota::deal}, {"floor", RingQuota::floor}},
             "distribute the remainder of |M|/(t C), or round down"),
  };
  PolicyEntry entry = {
      {"ring-full", "ER-Ring-Full",
       "Every class of every task so far has the same number of slots, first in, first out.",
       table.rows()},
      [](const Settings& settings, const PolicyContext&) {
        return make_ring_full(table.read(settings).quota);
      },
      /*variants=*/{"ring_quota"},
      /*always_shows=*/false,
      /*has_lasting_state=*/false,
      /*settle=*/nullptr,
      /*check=*/nullptr,
      /*check_stream=*/
      [](const Settings& settings, const StreamOutline& stream) {
        if (table.read(settings).quota == RingQuota::floor) check_floor(stream);
      }};
  entry.why_not_lasting = [](const Settings& settings) -> std::string {
    if (table.read(settings).quota == RingQuota::deal) return "";
    return "needs the number of tasks; use ring-full";
  };
  return entry;
}

}  // namespace gps
