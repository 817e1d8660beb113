#include "gps/experiments/planning/rehearsal.h"

#include <algorithm>
#include <utility>

#include "gps/experiments/method_memory.h"
#include "gps/learners/learner.h"
#include "gps/training/evaluate.h"
#include "gps/training/health.h"

namespace gps {

std::size_t steps_of(const Recipe& recipe, const Method& method, std::size_t examples) {
  return steps_for(examples, with(method, recipe).training);
}

double work_of(const Recipe& recipe, const Method& method, std::size_t examples) {
  const double batch = method.training.batch;
  return static_cast<double>(steps_of(recipe, method, examples)) * relative_cost(recipe.learner) *
         (batch + recipe.memory_batch) / (2 * batch);
}

Rehearsal::Rehearsal(const Recipe& recipe, const Stage& stage)
    : stage_(stage),
      method_(for_trial(stage.method, recipe)),
      learner_(make_learner(method_.learner, stage.make_network(stage.rng.fork("network")))),
      policy_(make_policy(method_.policy, {method_.training.batch, nullptr})),
      memory_(make_memory(method_, stage.stream.test(1).shape(), stage.stream.augmentation(),
                          stage.classes)) {}

void Rehearsal::advance(int task) try {
  const TrainHooks hooks{.stop = stage_.stop, .progress = {}};
  const auto examples = std::max<std::size_t>(
      memory_.capacity(), steps_for(stage_.stream.examples(), method_.training) *
                              static_cast<std::size_t>(method_.training.batch));
  while (is_alive_ && done_ < task) {
    const int next = done_ + 1;
    const Task now = stage_.stream.task(next, examples);
    const Rng rng = stage_.rng.fork("task", next);
    train_task(*learner_, *policy_, memory_, now, method_.training, rng, hooks);
    finish_task(*learner_, *policy_, memory_, now, rng);
    ++done_;
  }
} catch (const Diverged&) {
  is_alive_ = false;
}

double Rehearsal::accuracy() {
  double sum = 0;
  for (int k = 1; k <= done_ && is_alive_; ++k) {
    const Dataset test = stage_.stream.test(k);
    const Evaluation end = evaluate(*learner_, test, stage_.stream.labels(), stage_.stop);
    const GuessedTest guess = guessed(test);
    if (k == done_ && (is_at_chance(end.accuracy, guess) || gives_one_answer(end.predicted, guess)))
      is_alive_ = false;
    sum += end.class_accuracy;
  }
  return is_alive_ && done_ > 0 ? sum / done_ : 0;
}

}  // namespace gps
