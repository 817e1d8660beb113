// GDumb (Prabhu, Torr and Dokania, "GDumb: a simple approach that questions our progress in
// continual learning", 2020). It learns nothing while a task is presented. When the task ends, the
// network gets its first weights back and is trained on the memory alone: gdumb_epochs passes over
// the stored examples, in mini-batches of memory_batch, with a learning rate that falls along one
// half of a cosine from lr to lr/100. So what it knows depends on the memory, and on nothing else
// that came before. Whoever keeps a memory should do better.
//
// The paper's sampler gives every class seen so far the same number of slots. The policy that does
// this is ring-full; where tasks have the same classes, the classes of each task count as classes
// of their own. The paper's warm restarts, early stopping and cutmix are left out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

#include "gps/core/errors.h"
#include "gps/learners/network_learner.h"
#include "gps/learners/replay_rows.h"

namespace gps {
namespace {

struct GdumbOptions {
  int epochs = 50;
};

const OptionTable<GdumbOptions>& gdumb_options() {
  static const OptionTable<GdumbOptions> table = {
      option("gdumb_epochs", &GdumbOptions::epochs, "passes over the memory when a task ends")
          .between(1, 100'000),
  };
  return table;
}

// Returns the rate of step 0, …, steps - 1: `largest` at first, a hundredth of it at the end.
float annealed_rate(float largest, std::size_t step, std::size_t steps) {
  constexpr double kSmallest = 0.01;
  const double done = steps > 1 ? static_cast<double>(step) / static_cast<double>(steps - 1) : 0.0;
  const double share = kSmallest + (1 - kSmallest) * (1 + std::cos(std::numbers::pi * done)) / 2;
  return static_cast<float>(share * static_cast<double>(largest));
}

class Gdumb final : public NetworkLearner {
 public:
  Gdumb(const LearnerOptions& options, std::unique_ptr<Network> network)
      : NetworkLearner(std::move(network)),
        options_(options),
        own_(gdumb_options().read(options.settings)),
        first_(std::make_shared<const std::vector<float>>(network_->state())) {}
  Gdumb(const Gdumb& other)
      : NetworkLearner(other), options_(other.options_), own_(other.own_), first_(other.first_) {}

  std::unique_ptr<Learner> clone() const override { return std::make_unique<Gdumb>(*this); }

  void persist(Archive& archive) override {
    NetworkLearner::persist(archive);
    archive.section("gdumb");
    std::vector<float> first = *first_;
    archive.in_place(std::span(first));
    if (archive.is_reading()) first_ = std::make_shared<const std::vector<float>>(first);
  }

  double observe(const Batch& /*now*/, const Memory& /*past*/, Rng& /*rng*/) override { return 0; }

  void end_task(const Task& task, const Memory& memory, const Rng& rng) override {
    network_->set_state(*first_);
    const auto batch = static_cast<std::size_t>(options_.memory_batch);
    const std::size_t steps_each = (memory.size() + batch - 1) / batch;
    const std::size_t steps = static_cast<std::size_t>(own_.epochs) * steps_each;
    std::size_t step = 0;
    for (int epoch = 1; epoch <= own_.epochs; ++epoch) {
      const auto order = rng.fork("order", epoch).permutation(memory.size());
      Rng views = rng.fork("views", epoch);
      for (std::size_t first = 0; first < order.size(); first += batch) {
        const auto rest = std::span(order).subspan(first);
        rows_.clear();
        rows_.take(memory, rest.first(std::min(batch, rest.size())), views);
        const LossTerm loss{0, rows_.labels(0, rows_.size()), 1};
        const float rate = annealed_rate(options_.learning_rate, step++, steps);
        check(network_->step(rows_.images(), {&loss, 1}, rate), task);
      }
    }
    // No loss follows the last step.
    if (!is_finite()) check(std::numeric_limits<double>::quiet_NaN(), task);
  }

 private:
  static void check(double loss, const Task& task) {
    if (std::isfinite(loss)) return;
    throw Diverged(
        fmt::format("the loss on the memory is no longer a finite number after task {}; try a "
                    "smaller learning rate",
                    task.number));
  }

  LearnerOptions options_;
  GdumbOptions own_;
  std::shared_ptr<const std::vector<float>> first_;  // the network's state when it was made
  ReplayRows rows_;
};

std::unique_ptr<Learner> make_gdumb(const LearnerOptions& options,
                                    std::unique_ptr<Network> network) {
  return std::make_unique<Gdumb>(options, std::move(network));
}

}  // namespace

LearnerEntry gdumb() {
  LearnerEntry entry = {
      {"gdumb", "(floor)",
       "GDumb: learns nothing but the memory, from the first weights, whenever a task has ended "
       "(Prabhu et al. 2020). A learner that replays should be better.",
       gdumb_options().rows()},
      /*replays=*/true,
      /*relative_cost=*/0.04,  // without what it learns at the end of a task
      "ring-full",
      /*learns_jointly=*/false,
      make_gdumb,
      /*check=*/nullptr,
      /*learns_at_task_end=*/true};
  entry.why_not_lasting = "keeps its first weights, which do not grow with the classes";
  return entry;
}

}  // namespace gps
