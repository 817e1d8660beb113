#include "gps/deployment/stored/relearn.h"

#include <algorithm>

#include "gps/deployment/check_learnt.h"
#include "gps/learners/stored_logits.h"
#include "gps/nn/catalog.h"
#include "gps/policies/policy.h"
#include "gps/training/trainer.h"

namespace gps {
namespace {

// All stored images as one task.
Task stored_task(const LearnState& state) {
  const Memory& memory = state.memory;
  std::vector<std::uint8_t> bytes;
  std::vector<Label> labels;
  std::vector<std::uint8_t> scratch(memory.image_bytes());
  for (const Example& example : memory.examples()) {
    const std::uint8_t* const pixels = memory.image(example, scratch);
    bytes.insert(bytes.end(), pixels, pixels + memory.image_bytes());
    labels.push_back(example.label);
  }
  const Dataset images(state.options.rows(), std::move(bytes), labels,
                       static_cast<int>(state.classes.size()));
  return {static_cast<int>(state.tasks.size()), images, labels_in(images)};
}

void forget_logits(Memory& memory) {
  for (std::size_t slot = 0; slot < memory.size(); ++slot) {
    Example example = memory[slot];
    example.logits = nullptr;
    memory.replace(slot, std::move(example));
  }
}

}  // namespace

Relearnt relearn(LearnState& state, const StopFlag* stop,
                 const std::function<void(std::size_t done, std::size_t all)>& progress) {
  if (state.memory.is_empty()) {
    throw UsageError("this state stores no images for replay, so there is nothing to train on");
  }
  const std::vector<TaskStanding> before = test_tasks(state, stop);
  const Method& method = state.options.method;
  const Rng rng = state.rng().fork("relearn", state.tasks.size());
  const Task task = stored_task(state);
  TrainOptions training = method.training;
  if (state.options.fits_epochs)
    training.epochs = usual_epochs(method.network.model, task.train.size(), training.batch);

  const auto learner =
      make_learner(method.learner, make_network(method.network, state.options.rows(),
                                                static_cast<int>(state.learner->classes()),
                                                state.options.normalisation, rng.fork("network")));
  Memory nothing(1, state.memory.image_bytes());
  const auto policy = make_no_memory();
  const std::size_t all = steps_for(task.train.size(), training);
  Relearnt report{.trained = task.train.size()};
  std::size_t done = 0;
  report.steps = train_task(*learner, *policy, nothing, task, training, rng,
                            {.stop = stop, .progress = [&](int /*epoch*/, std::size_t steps) {
                               done += steps;
                               if (progress) progress(done, all);
                             }});
  if (!learner->is_finite()) throw Diverged("the network contains numbers that are not finite");
  forget_logits(state.memory);
  renew_learner(state, network_of(*learner).clone());
  store_missing_logits(state.memory, *state.learner);

  report.scores = test_tasks(state, stop);
  LearnReport judged{.task = report.scores.empty() ? 0 : report.scores.back().task};
  judged.scores = report.scores;
  report.problems = problems_of(judged, replays(method.learner.name));
  for (std::size_t k = 0; k < before.size(); ++k) report.scores[k].before = before[k].now;
  return report;
}

}  // namespace gps
