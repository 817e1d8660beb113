// ER-CurRes (Algorithm 4 of the paper): the reservoir of ER-Res, but in the second half of each
// task's epochs it takes only easy examples. Each of them stands for 1/γ presentations, so that
// tasks get the same shares as in a reservoir. N counts examples; the printed algorithm adds to it
// once for each batch (A36). The pool is that of the whole task, as printed. Classes that are hard
// as a whole therefore get few examples into the pool and into the memory.
#include "gps/policies/parts/easy_pool.h"
#include "gps/policies/reservoir_sampler.h"
#include "gps/policies/watching.h"

namespace gps {
namespace {

class CurRes final : public WatchingPolicy {
 public:
  CurRes(double easy_fraction, EasyRank rank) : pool_(easy_fraction, PoolOf::task, rank) {}

  void begin_task(Memory& memory, const Task& task, const Rng& /*rng*/) override {
    if (memory.is_empty()) sampler_ = ReservoirSampler(0, memory.capacity());
    pool_.begin_task(task);
  }
  void observe(Memory& memory, const Batch& batch, Rng& rng) override {
    for (std::size_t row = 0; row < batch.size(); ++row) {
      if (!pool_.is_in_charge()) {
        sampler_.offer(memory, batch, row, rng);
      } else if (pool_.contains(batch.ids[row])) {
        sampler_.offer(memory, batch, row, 1 / pool_.fraction(), rng);
      }
    }
  }
  void watch_epoch(Memory& /*memory*/, const Task& task, const Learner& learner, int epoch,
                   int epochs, const Rng& /*rng*/) override {
    pool_.end_epoch(task, learner, epoch, epochs);
  }
  void end_task(Memory& memory, const Task& task, const Rng& rng) override {
    pool_.swap_into(memory, task, rng);
  }
  void persist(Archive& archive) override { archive(pool_, sampler_); }
  void check_fits(const Memory& memory) const override { sampler_.check_fits(memory); }

 private:
  EasyPool pool_;
  ReservoirSampler sampler_;
};

}  // namespace

std::unique_ptr<MemoryPolicy> make_cur_res(double easy_fraction, EasyRank rank) {
  return std::make_unique<CurRes>(easy_fraction, rank);
}

PolicyEntry cur_res_policy() {
  PolicyEntry entry = {
      {"cur-res", "ER-CurRes",
       "A reservoir that, from the second half of a task's epochs on, takes only the task's easy "
       "examples: those learnt earliest.",
       easy_options().rows()},
      [](const Settings& settings, const PolicyContext&) {
        const EasyOptions easy = easy_options().read(settings);
        return make_cur_res(easy.easy_fraction, easy.easy_rank);
      }};
  entry.why_not_lasting = [](const Settings&) -> std::string {
    return "remembers all examples of the last task; use gps:cur or cur-ring-full";
  };
  return entry;
}

}  // namespace gps
