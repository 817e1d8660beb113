#include "gps/simulation/global_sim.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gps/learners/stored_logits.h"
#include "gps/policies/mixed.h"
#include "gps/training/evaluate.h"
#include "gps/training/health.h"

namespace gps {
namespace {

// The outcome of a future in which training diverges or the network dies. The search avoids it, and
// the real run goes on.
constexpr Outcome kWorst{std::numeric_limits<double>::infinity(), 0};

void mark(std::span<const std::uint32_t> shuffled, std::size_t most, std::vector<bool>& marks) {
  if (shuffled.empty()) return;
  const std::size_t count = std::min(most, std::max<std::size_t>(1, shuffled.size() / 2));
  for (const std::uint32_t row : shuffled.first(count)) marks[row] = true;
}

// Returns whether the network at the end of the future is dead. A task that is merely forgotten
// may get one answer too, if its labels are few. So the task learnt last decides. It is looked at
// only in this case: a sound network costs nothing.
bool is_dead(const Evaluation& end, Learner& learner, const Situation& situation) {
  if (situation.future.empty() || !gives_one_answer(end.predicted, guessed(situation.held_back)))
    return false;
  const Task& last = situation.future.back();
  const GuessedTest learnt = guessed(last.train);
  const Evaluation on_last = evaluate(learner, last.train, last.labels, situation.stop);
  return is_at_chance(on_last.accuracy, learnt) || gives_one_answer(on_last.predicted, learnt);
}

}  // namespace

std::vector<bool> hold_back(const Dataset& data, Score score, std::size_t most, const Rng& rng) {
  std::vector<bool> is_held_back(data.size(), false);
  if (score == Score::natural) {
    mark(rng.fork("natural").permutation(data.size()), most, is_held_back);
    return is_held_back;
  }
  auto by_class = data.rows_by_class();
  const auto present = static_cast<std::size_t>(std::count_if(
      by_class.begin(), by_class.end(), [](const auto& rows) { return !rows.empty(); }));
  const std::size_t each = std::max<std::size_t>(1, most / std::max<std::size_t>(1, present));
  for (std::size_t c = 0; c < by_class.size(); ++c) {
    rng.fork("class", c).shuffle(std::span(by_class[c]));
    mark(by_class[c], each, is_held_back);
  }
  return is_held_back;
}

Memory candidate_memory(const Plan& plan, const Situation& situation) {
  Memory memory = situation.memory;
  const std::size_t quota = quota_of(memory, situation.now, situation.orders.reservoir.size());
  build_memory(memory, situation.now, situation.orders, within(plan, quota));
  return memory;
}

Outcome global_sim(const Plan& plan, const Situation& situation, const WatchFuture& watch) try {
  const std::unique_ptr<Learner> learner = situation.learner.imagine();
  Memory memory = candidate_memory(plan, situation);
  store_missing_logits(memory, *learner);
  learner->end_task(situation.now, memory, situation.rng.fork("now"));
  int seen = 0;
  if (watch) watch(seen, *learner);

  // Pseudo-memories (section 5.3) are what the mixed policy builds with a fixed ratio.
  const auto policy = make_mixed({situation.future_share}, situation.in_task);
  const TrainHooks hooks{.stop = situation.stop, .progress = {}};
  for (const Task& task : situation.future) {
    const Rng rng = situation.rng.fork("future", task.number);
    train_task(*learner, *policy, memory, task, situation.training, rng, hooks);
    finish_task(*learner, *policy, memory, task, rng);
    if (watch) watch(++seen, *learner);
  }
  const Evaluation end =
      evaluate(*learner, situation.held_back, situation.now.labels, situation.stop);
  if (!std::isfinite(end.loss)) return kWorst;  // diverged in the very last step
  if (is_dead(end, *learner, situation)) return kWorst;
  if (situation.score == Score::balanced) return {end.class_loss, end.class_accuracy};
  return {end.loss, end.accuracy};
} catch (const Diverged&) {  // in a step, or in what a learner does at the end of a task
  return kWorst;
}

}  // namespace gps
