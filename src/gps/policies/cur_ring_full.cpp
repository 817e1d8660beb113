// ER-CurRing-Full (Algorithm 5 of the paper): the rings of ER-Ring-Full, but in the second half of
// each task's epochs they take only the easy examples of their class.
#include "gps/policies/parts/class_rings.h"
#include "gps/policies/parts/easy_pool.h"
#include "gps/policies/watching.h"

namespace gps {
namespace {

class CurRingFull final : public WatchingPolicy {
 public:
  CurRingFull(double easy_fraction, EasyRank rank)
      : pool_(easy_fraction, PoolOf::each_class, rank) {}

  void begin_task(Memory& memory, const Task& task, const Rng& rng) override {
    rings_.begin_task(memory, task.number, class_sizes(task.train), rng);
    pool_.begin_task(task);
  }
  void observe(Memory& memory, const Batch& batch, Rng& /*rng*/) override {
    for (std::size_t row = 0; row < batch.size(); ++row) {
      if (pool_.is_in_charge() && !pool_.contains(batch.ids[row])) continue;
      rings_.offer(memory, batch, row);
    }
  }
  void watch_epoch(Memory& /*memory*/, const Task& task, const Learner& learner, int epoch,
                   int epochs, const Rng& /*rng*/) override {
    pool_.end_epoch(task, learner, epoch, epochs);
  }
  void end_task(Memory& memory, const Task& task, const Rng& rng) override {
    pool_.swap_into(memory, task, rng);
    rings_.end_task(memory, task.number, rng);
  }
  void persist(Archive& archive) override { archive(pool_, rings_); }
  void check_fits(const Memory& memory) const override { rings_.check_fits(memory); }

 private:
  EasyPool pool_;
  ClassRings rings_{RingQuota::deal};
};

// The paper's Table 9 has a different γ for this policy than for cur-res.
std::vector<Option> own_options() {
  std::vector<Option> rows = easy_options().rows();
  rows.front().usual = 0.1;
  return rows;
}

}  // namespace

std::unique_ptr<MemoryPolicy> make_cur_ring_full(double easy_fraction, EasyRank rank) {
  return std::make_unique<CurRingFull>(easy_fraction, rank);
}

PolicyEntry cur_ring_full_policy() {
  return {
      {"cur-ring-full", "ER-CurRing-Full",
       "Like ring-full, but from the second half of a task's epochs on, only the easy examples of "
       "each class.",
       own_options()},
      [](const Settings& settings, const PolicyContext&) {
        const EasyOptions easy = easy_options().read(settings, own_options());
        return make_cur_ring_full(easy.easy_fraction, easy.easy_rank);
      }};
}

}  // namespace gps
