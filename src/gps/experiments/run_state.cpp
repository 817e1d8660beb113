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
  const bool is_own =
      (network.model == "mlp" && network.backbone.empty()) || is_fused_resnet18(network);
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

void check_size(std::size_t found, int wanted, std::string_view what) {
  Archive::require(found == static_cast<std::size_t>(wanted), what);
}

// `columns(i)` is the length of row i = 1, 2, …
template <typename Columns>
void check_matrix(const AccuracyMatrix& matrix, int rows, const Columns& columns,
                  std::string_view wrong = "the accuracies are not those of the finished tasks") {
  check_size(matrix.size(), rows, wrong);
  for (std::size_t i = 0; i < matrix.size(); ++i)
    Archive::require(matrix[i].size() == columns(static_cast<int>(i) + 1), wrong);
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

Keeper::Keeper(Checkpoints& checkpoints, RunIdentity identity, const Benchmark& benchmark,
               RunState& state, RunParts& parts, std::function<void()> follow_plan)
    : checkpoints_(checkpoints),
      identity_(std::move(identity)),
      benchmark_(benchmark),
      stages_(learns_jointly(state.result.spec.learner.name) ? 1 : benchmark.tasks()),
      state_(state),
      parts_(parts),
      follow_plan_(std::move(follow_plan)) {}

void Keeper::take() {
  is_left_out_ = false;
  try {
    Archive archive;
    persist(archive);
    taken_ = archive.bytes();
  } catch (const std::bad_alloc&) {
    taken_ = {};
  }
}

void Keeper::take_and_save() {
  checkpoints_.begin();
  take();
  save();
}

// The results of many tasks make a state large: it would be copied a thousand times for a thousand
// tasks. A small copy is always made.
void Keeper::take_before_finish() {
  constexpr std::size_t kSmall = std::size_t{1} << 20;
  const Clock& clock = checkpoints_.options().clock;
  const double begun = copy_size_ > kSmall ? clock() : 0;
  is_left_out_ = copy_size_ > kSmall && begun - copied_ < Checkpoints::kWorkPerSave * copy_cost_;
  if (is_left_out_) return;
  take();
  copy_size_ = taken_.size();
  if (copy_size_ <= kSmall) return;
  copied_ = clock();
  copy_cost_ = begun > 0 ? copied_ - begun : 0;
}

void Keeper::save() {
  if (is_left_out_) return;
  try {
    save_taken();
  } catch (const std::bad_alloc&) {
    checkpoints_.tell_failure("out of memory");
  }
}

bool Keeper::resume() {
  const std::optional<std::string> found = checkpoints_.load(identity_);
  if (!found) return false;
  try {
    restore(*found);
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", checkpoints_.file().string(), error.what()));
  }
  const std::string where =
      state_.at.epoch > 0  ? fmt::format(", epoch {}, step {}", state_.at.epoch, state_.at.steps)
      : !state_.is_trained ? ""
      : parts_.policy->tried() == 0
          ? ", after its training"
          : fmt::format(", after its training, {} futures tried", parts_.policy->tried());
  checkpoints_.tell(fmt::format("continues in task {}{}", state_.task, where));
  return true;
}

void Keeper::restore(const std::string& saved) {
  Archive archive(saved);
  archive(taken_);
  Archive taken(taken_);
  persist(taken);
  taken.finish();
  parts_.policy->persist_search(archive);
  state_.persist_late(archive);
  archive.finish();
  check_results();
  check_decisions();
  parts_.policy->check_fits(parts_.memory);
}

void Keeper::check_results() const {
  const RunResult& result = state_.result;
  const int done = state_.task - 1;
  const auto tested = [&](int stage) {
    return tested_after(stage, stages_, benchmark_.tasks(), result.spec.evaluation);
  };
  check_matrix(result.accuracy, done, tested);
  check_matrix(result.class_accuracy, done, tested);
  check_matrix(state_.among_all.accuracy, done, tested);
  check_matrix(state_.answers, done, tested,
               "the shares of answers are not those of the finished tasks");
  const auto at_first = [&](int) { return tested(0); };
  check_matrix({result.accuracy_at_initialisation}, 1, at_first);
  check_matrix({state_.among_all.accuracy_at_initialisation}, 1, at_first);
  constexpr const char* kWrong = "the shares of the memory are not those of the finished tasks";
  check_size(result.memory.size(), result.spec.policy.name == "none" ? 0 : done, kWrong);
  for (std::size_t i = 0; i < result.memory.size(); ++i) {
    const Composition& shares = result.memory[i];
    check_size(shares.size(), static_cast<int>(i) + 1, kWrong);
    for (std::size_t k = 0; k < shares.size(); ++k) {
      Archive::require(shares[k].task == static_cast<int>(k) + 1, kWrong);
      check_size(shares[k].ring.size(), benchmark_.classes(), kWrong);
      check_size(shares[k].reservoir.size(), benchmark_.classes(), kWrong);
    }
  }
}

void Keeper::check_decisions() const {
  for (const Decision& decision : parts_.policy->decisions()) {
    const auto is_within = [&](const Plan& plan) { return within(plan, decision.quota) == plan; };
    Archive::require(decision.task >= 1 && decision.task <= stages_ &&
                         decision.quota <= parts_.memory.capacity() && is_within(decision.plan) &&
                         std::all_of(decision.trials.begin(), decision.trials.end(),
                                     [&](const Trial& trial) { return is_within(trial.plan); }),
                     "a decision is not one about this memory");
  }
}

void Keeper::save_taken() {
  if (taken_.empty()) throw std::bad_alloc();
  state_.result.peak_memory_bytes = std::max(state_.result.peak_memory_bytes, peak_memory_bytes());
  Archive archive;
  archive(taken_);
  parts_.policy->persist_search(archive);
  state_.persist_late(archive);
  checkpoints_.save(identity_, archive.bytes());
}

void Keeper::persist(Archive& archive) {
  state_.persist(archive);
  Archive::require(state_.task >= 1 && state_.task <= stages_ + 1,
                   "the run continues in a task that it does not have");
  if (archive.is_reading() && !state_.result.plan.is_empty()) follow_plan_();
  parts_.learner->persist(archive);
  parts_.memory.persist(archive,
                        {.outputs = parts_.learner->classes(),
                         .classes = static_cast<std::size_t>(benchmark_.classes()),
                         .tasks = std::min(state_.task, stages_)},
                        [&](int task) { return benchmark_.task(task).train.seen_through(); });
  archive.section("policy");
  parts_.policy->persist(archive);
}

}  // namespace gps
