// ER-Res: one reservoir over all examples ever presented. The shares of tasks and classes are left
// to chance.
#include "gps/policies/parts/follows_memory.h"
#include "gps/policies/policy.h"
#include "gps/policies/reservoir_sampler.h"

namespace gps {
namespace {

class Reservoir final : public MemoryPolicy, public FollowsMemory {
 public:
  void begin_task(Memory& memory, const Task& /*task*/, const Rng& /*rng*/) override {
    if (memory.is_empty()) sampler_ = ReservoirSampler(0, memory.capacity());
  }
  void observe(Memory& memory, const Batch& batch, Rng& rng) override {
    for (std::size_t row = 0; row < batch.size(); ++row) sampler_.offer(memory, batch, row, rng);
  }
  void persist(Archive& archive) override { archive(sampler_); }
  void check_fits(const Memory& memory) const override { sampler_.check_fits(memory); }
  void follow(const Memory& memory, std::span<const std::size_t> /*kept*/) override {
    sampler_.follow(memory);
  }
  void take_over(const Memory& memory, const EarlierTasks& before) override {
    sampler_ = ReservoirSampler::over(memory, before.examples);
  }

 private:
  ReservoirSampler sampler_;
};

class NoMemory final : public MemoryPolicy {};

}  // namespace

std::unique_ptr<MemoryPolicy> make_reservoir() { return std::make_unique<Reservoir>(); }

std::unique_ptr<MemoryPolicy> make_no_memory() { return std::make_unique<NoMemory>(); }

PolicyEntry reservoir_policy() {
  return {{"reservoir", "ER-Res",
           "One reservoir over all examples so far: each is kept with the same probability."},
          [](const Settings&, const PolicyContext&) { return make_reservoir(); },
          /*variants=*/{},
          /*always_shows=*/false,
          /*has_lasting_state=*/true};
}

}  // namespace gps
