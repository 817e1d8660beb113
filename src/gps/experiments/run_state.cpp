#include "gps/experiments/run_state.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "gps/core/build.h"
#include "gps/core/files/files.h"
#include "gps/core/simd_target.h"
#include "gps/nn/catalog.h"

namespace gps {
namespace {

// Returns text that is equal for programs and machines that give the same bits. LibTorch chooses
// its instructions by the CPU and ignores $GPSCL_SIMD.
std::string identity_for(const NetworkOptions& network) {
  const bool is_own = network.model == "mlp" || is_fused_resnet18(network);
  return is_own ? build_identity() : build_identity() + " on " + cpu_target();
}

// Returns a checksum of the first test images, to recognise other data.
std::uint32_t fingerprint(const Benchmark& benchmark) {
  const Dataset data = benchmark.test(1);
  std::string image(data.shape().bytes(), '\0');
  std::uint32_t sum = 0;
  for (std::size_t row = 0; row < std::min<std::size_t>(data.size(), 1000); ++row) {
    const auto* bytes = reinterpret_cast<const char*>(
        data.image(row, {reinterpret_cast<std::uint8_t*>(image.data()), image.size()}));
    sum = checksum({bytes, image.size()}, sum);
    sum = checksum(std::to_string(data.label(row)), sum);
  }
  return checksum(std::to_string(data.size()), sum);
}

}  // namespace

RunIdentity identity_of(const Spec& spec, std::uint64_t seed, const Benchmark& benchmark) {
  return {to_json(spec).dump(), seed, fingerprint(benchmark), identity_for(spec.network)};
}

std::size_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

Keeper::Keeper(Checkpoints& checkpoints, RunIdentity identity, RunState& state, Learner& learner,
               MemoryPolicy& policy, Memory& memory)
    : checkpoints_(checkpoints),
      identity_(std::move(identity)),
      state_(state),
      learner_(learner),
      policy_(policy),
      memory_(memory) {}

void Keeper::take() {
  try {
    Archive archive;
    persist(archive);
    taken_ = archive.bytes();
  } catch (const std::bad_alloc&) {
    taken_ = {};
  }
}

void Keeper::save() {
  try {
    save_taken();
  } catch (const std::bad_alloc&) {
    checkpoints_.tell_failure("out of memory");
  }
}

bool Keeper::resume() {
  const std::optional<std::string> found = checkpoints_.load(identity_);
  if (!found) return false;
  Archive archive(*found);
  archive(taken_);
  policy_.persist_search(archive);
  state_.persist_late(archive);
  archive.finish();
  Archive taken(taken_);
  persist(taken);
  taken.finish();
  const std::string where =
      state_.at.epoch > 0  ? fmt::format(", epoch {}, step {}", state_.at.epoch, state_.at.steps)
      : !state_.is_trained ? ""
      : policy_.tried() == 0
          ? ", after its training"
          : fmt::format(", after its training, {} futures tried", policy_.tried());
  checkpoints_.tell(fmt::format("continues in task {}{}", state_.task, where));
  return true;
}

void Keeper::save_taken() {
  if (taken_.empty()) throw std::bad_alloc();
  state_.result.peak_memory_bytes = std::max(state_.result.peak_memory_bytes, peak_memory_bytes());
  Archive archive;
  archive(taken_);
  policy_.persist_search(archive);
  state_.persist_late(archive);
  checkpoints_.save(identity_, archive.bytes());
}

void Keeper::persist(Archive& archive) {
  state_.persist(archive);
  learner_.persist(archive);
  memory_.persist(archive, learner_.classes());
  archive.section("policy");
  policy_.persist(archive);
}

}  // namespace gps
