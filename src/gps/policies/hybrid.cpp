// ER-Hybrid (Chaudhry et al. 2019): a reservoir until some class has only one stored example left,
// class rings from then on. A class is a (task, label) pair here, because in P-MNIST every task has
// the same ten labels. Only classes of finished tasks count, because a class that has just arrived
// has one example too (A7).
#include <map>
#include <utility>

#include "gps/policies/parts/class_rings.h"
#include "gps/policies/reservoir_sampler.h"

namespace gps {
namespace {

class Hybrid final : public MemoryPolicy {
 public:
  void begin_task(Memory& memory, const Task& task, const Rng& rng) override {
    task_ = task.number;
    available_ = class_sizes(task.train);
    rng_ = rng;
    if (memory.is_empty()) sampler_ = ReservoirSampler(0, memory.capacity());
    if (has_switched_) {
      open_rings(memory);
    } else if (some_class_is_nearly_gone()) {
      switch_to_rings(memory);
    }
  }

  void observe(Memory& memory, const Batch& batch, Rng& rng) override {
    for (std::size_t row = 0; row < batch.size(); ++row) {
      if (has_switched_) {
        rings_.offer(memory, batch, row);
        continue;
      }
      const auto leaving = sampler_.offer(memory, batch, row, rng);
      if (!leaving) continue;
      const auto count = finished_.find({leaving->task, leaving->label});
      if (count == finished_.end()) continue;  // an example of the current task left
      if (--count->second <= 1) switch_to_rings(memory);
    }
  }

  void end_task(Memory& memory, const Task& task, const Rng& rng) override {
    if (has_switched_) {
      rings_.end_task(memory, task.number, rng);
      return;
    }
    const auto rows = task.train.rows_by_class();
    for (std::size_t c = 0; c < rows.size(); ++c) {
      if (!rows[c].empty()) finished_[{task.number, static_cast<Label>(c)}] = 0;
    }
    for (const Example& example : memory.examples()) {
      if (example.task == task.number) ++finished_[{example.task, example.label}];
    }
  }

  void persist(Archive& archive) override {
    archive(task_, available_, rng_, sampler_, rings_, has_switched_, finished_);
  }
  void check_fits(const Memory& memory) const override {
    sampler_.check_fits(memory);
    rings_.check_fits(memory);
  }

 private:
  bool some_class_is_nearly_gone() const {
    for (const auto& [key, count] : finished_) {
      if (count <= 1) return true;
    }
    return false;
  }

  // Orders the examples of finished tasks so that shrinking keeps classes balanced, then opens the
  // current task's rings and puts its stored examples into them. Which examples are dropped is left
  // to chance, because the reservoir's slots are in no particular order.
  void switch_to_rings(Memory& memory) {
    has_switched_ = true;
    std::map<int, std::vector<Example>> by_task;
    for (const Example& example : memory.examples()) by_task[example.task].push_back(example);
    memory.retain([](const Example&) { return false; });
    for (auto& [number, examples] : by_task) {
      const Rng chance = rng_.fork("switch", number);
      chance.fork("trim").shuffle(std::span(examples));
      for (Example& example : round_robin(examples, chance)) memory.add(std::move(example));
    }
    open_rings(memory);
  }

  void open_rings(Memory& memory) { rings_.begin_task(memory, task_, available_, rng_); }

  int task_ = 0;                        // number of the current task
  std::vector<std::size_t> available_;  // number of its examples of each class
  Rng rng_{0};
  ReservoirSampler sampler_;
  ClassRings rings_{RingQuota::deal};
  bool has_switched_ = false;
  std::map<std::pair<int, Label>, std::size_t>
      finished_;  // number of stored examples by (task, class)
};

}  // namespace

std::unique_ptr<MemoryPolicy> make_hybrid() { return std::make_unique<Hybrid>(); }

PolicyEntry hybrid_policy() {
  PolicyEntry entry = {
      {"hybrid", "ER-Hybrid",
       "A reservoir until some class of a finished task has only one example left, then "
       "ring-full."},
      [](const Settings&, const PolicyContext&) { return make_hybrid(); }};
  entry.why_not_lasting = [](const Settings&) -> std::string {
    return "stores nothing new once there are more tasks than slots; use reservoir or ring-full";
  };
  return entry;
}

}  // namespace gps
