// A-GEM's memory as Mammoth keeps it (Buzzega et al. 2020): when a task has ended, one mini-batch
// of it, drawn at random, is offered to a reservoir, whatever |M| is. With batches of 10 these are
// 10 examples for each task, so most of the memory may stay empty. This policy is for comparisons
// with Mammoth's numbers. A-GEM's authors store the last examples of every class, as ring-full
// does.
#include <algorithm>

#include "gps/policies/parts/follows_memory.h"
#include "gps/policies/policy.h"
#include "gps/policies/reservoir_sampler.h"

namespace gps {
namespace {

class OneBatch final : public MemoryPolicy, public FollowsMemory {
 public:
  explicit OneBatch(std::size_t batch) : batch_(batch) {}

  void begin_task(Memory& memory, const Task& /*task*/, const Rng& /*rng*/) override {
    if (memory.is_empty()) sampler_ = ReservoirSampler(0, memory.capacity());
  }
  void end_task(Memory& memory, const Task& task, const Rng& rng) override {
    const auto order = rng.fork("batch").permutation(task.train.size());
    Batch batch;
    batch.gather(task, std::span(order).first(std::min(batch_, order.size())));
    Rng draws = rng.fork("reservoir");
    for (std::size_t row = 0; row < batch.size(); ++row) sampler_.offer(memory, batch, row, draws);
  }
  void persist(Archive& archive) override { archive(sampler_); }
  void check_fits(const Memory& memory) const override { sampler_.check_fits(memory); }
  void follow(const Memory& memory, std::span<const std::size_t> /*kept*/) override {
    sampler_.follow(memory);
  }
  void take_over(const Memory& memory, const EarlierTasks& before) override {
    sampler_ = ReservoirSampler::over(memory, before.tasks * batch_);
  }

 private:
  std::size_t batch_;
  ReservoirSampler sampler_;
};

}  // namespace

std::unique_ptr<MemoryPolicy> make_one_batch(std::size_t batch) {
  return std::make_unique<OneBatch>(batch);
}

PolicyEntry one_batch_policy() {
  return {{"one-batch", "A-GEM",
           "When a task ends, one batch of it goes to a reservoir: A-GEM's memory as Mammoth keeps "
           "it."},
          [](const Settings&, const PolicyContext& context) {
            return make_one_batch(static_cast<std::size_t>(context.batch));
          },
          /*variants=*/{},
          /*always_shows=*/false,
          /*has_lasting_state=*/true};
}

}  // namespace gps
