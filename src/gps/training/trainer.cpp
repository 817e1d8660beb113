#include "gps/training/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gps/learners/learner.h"
#include "gps/learners/stored_logits.h"

namespace gps {
namespace {

constexpr const char* kAdvice =
    "try a smaller learning rate, or smaller weights for the terms that the learner adds to the "
    "loss";

std::size_t steps_of_a_pass(std::size_t examples, const TrainOptions& options) {
  const auto batch = static_cast<std::size_t>(options.batch);
  return (examples + batch - 1) / batch;
}

}  // namespace

std::size_t steps_for(std::size_t examples, const TrainOptions& options) {
  if (options.steps > 0) return static_cast<std::size_t>(options.steps);
  return static_cast<std::size_t>(options.epochs) * steps_of_a_pass(examples, options);
}

int passes_for(std::size_t examples, const TrainOptions& options) {
  if (options.steps == 0) return options.epochs;
  const std::size_t each = std::max<std::size_t>(1, steps_of_a_pass(examples, options));
  return static_cast<int>((static_cast<std::size_t>(options.steps) + each - 1) / each);
}

std::size_t train_task(Learner& learner, MemoryPolicy& policy, Memory& memory, const Task& task,
                       const TrainOptions& options, const Rng& rng, const TrainHooks& hooks,
                       TrainPosition at) {
  constexpr std::size_t kReportEvery = 16;  // a step of a large network takes a tenth of a second
  const auto begin_epoch = [&](int epoch) {
    at.epoch = epoch;
    at.presented = 0;
    at.for_learner = rng.fork("learner", epoch);
    at.for_policy = rng.fork("policy", epoch);
  };
  if (at.epoch == 0) {
    policy.begin_task(memory, task, rng.fork("begin"));
    learner.begin_task(task, memory, rng.fork("learner begin"));
    begin_epoch(1);
  }
  const auto batch_size = static_cast<std::size_t>(options.batch);
  const std::size_t most = steps_for(task.train.size(), options);
  const int passes = passes_for(task.train.size(), options);
  Batch batch;
  std::size_t reported = at.steps;
  for (; at.epoch <= passes; begin_epoch(at.epoch + 1)) {
    const auto order = rng.fork("order", at.epoch).permutation(task.train.size());
    while (at.presented < order.size() && at.steps < most) {
      if (hooks.before_step) hooks.before_step(at);
      if (hooks.stop != nullptr) hooks.stop->check();
      const auto rest = std::span(order).subspan(at.presented);
      const auto rows = rest.first(std::min(batch_size, rest.size()));
      const auto after = rest.subspan(rows.size());
      batch.gather(task, rows, after.first(std::min(batch_size, after.size())));
      if (!task.augmentation.is_none()) batch.vary(task, rng.fork("views", at.epoch, at.presented));
      const double loss = learner.observe(batch, memory, at.for_learner);
      at.presented += rows.size();
      ++at.steps;
      if (!std::isfinite(loss)) {
        throw Diverged(
            fmt::format("the loss is no longer a finite number in task {}, epoch {}, step {}; {}",
                        task.number, at.epoch, at.steps, kAdvice));
      }
      if (learner.stores_logits()) learner.batch_logits(batch.logits);
      tell_step(policy, memory, batch, learner, at.for_policy);
      if (hooks.progress && at.steps - reported == kReportEvery) {
        hooks.progress(at.epoch, at.steps - reported);
        reported = at.steps;
      }
    }
    // The loss does not show every weight that is not finite: a ReLU can hide it, and no loss
    // follows the last step.
    if (!learner.is_finite()) {
      throw Diverged(
          fmt::format("a weight is no longer a finite number in task {}, epoch {}, step {}; {}",
                      task.number, at.epoch, at.steps, kAdvice));
    }
    tell_epoch(policy, memory, task, learner, at.epoch, passes, rng.fork("epoch", at.epoch));
  }
  if (hooks.progress && at.steps > reported) hooks.progress(passes, at.steps - reported);
  return at.steps;
}

void finish_task(Learner& learner, MemoryPolicy& policy, Memory& memory, const Task& task,
                 const Rng& rng) {
  tell_end(policy, memory, task, learner, rng.fork("end"));
  store_missing_logits(memory, learner);
  learner.end_task(task, memory, rng.fork("learner end"));
}

}  // namespace gps
