#include "gps/deployment/learn.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <mutex>
#include <set>

#include "gps/core/files/files.h"
#include "gps/data/features.h"
#include "gps/deployment/change_state.h"
#include "gps/deployment/check_learnt.h"
#include "gps/deployment/divide.h"
#include "gps/deployment/held_out.h"
#include "gps/deployment/merge_tasks.h"
#include "gps/deployment/new_data.h"
#include "gps/deployment/stored/stored_images.h"
#include "gps/deployment/task_groups.h"
#include "gps/experiments/planning/planner.h"
#include "gps/experiments/planning/transition.h"
#include "gps/memory/build.h"
#include "gps/simulation/search_bound.h"
#include "gps/training/evaluate.h"
#include "gps/training/health.h"

namespace gps {
namespace {

// Throws DataError if no training image is left at all, or none of some new class.
void check_is_taught(const LearnState& state, const NewTask& task,
                     const std::vector<Label>& labels) {
  const auto refuse = [](const std::string& what) {
    throw DataError(what + ": no image is left to learn from, because all of them are test images");
  };
  if (labels.empty()) refuse(task.name);
  for (std::size_t label = state.classes.size(); label < task.classes.size(); ++label) {
    if (!std::binary_search(labels.begin(), labels.end(), label))
      refuse(fmt::format("{}: class '{}'", task.name, task.classes[label]));
  }
}

// Training checks the weights only. The network's state also has the running statistics of batch
// normalisation.
void check_is_finite(const Network& network) {
  for (const float value : network.state()) {
    if (!std::isfinite(value))
      throw Diverged(
          "the network contains numbers that are not finite; try a smaller learning rate");
  }
}

// Tries learning rates and lengths on the task, from the network and the memory as they are. Judged
// among all classes: that is what predictions are made among.
RecipeChoice plan_for(const LearnState& state, const NewTask& asked, const Task& task,
                      Executor& executor, const Rng& rng, const StopFlag* stop) {
  PlanningNeeds needs;
  needs.options.knobs = asked.planned;
  needs.method = state.options.method;
  needs.is_split = true;
  needs.classes = static_cast<int>(state.classes.size());
  needs.stop = stop;
  return plan_task(task, *state.learner, state.memory, {}, needs, executor, rng.fork("plan"));
}

struct SearchWork {
  std::size_t candidates = 0;
  std::size_t steps = 0;  // of each
};

// Returns how much a policy may simulate when the task ends.
SearchWork search_of(const Method& method, const Memory& memory, const Task& task,
                     Executor& executor) {
  if (!simulates(method.policy)) return {};
  const SimulationOptions options =
      simulation_options(method.policy.settings, simulation_needs(method, kLearnOutlook));
  const std::size_t examples = task.train.size();
  const SearchSize size{.task = task.number,
                        .capacity = memory.capacity(),
                        .quota = quota_of(memory, task, examples),
                        .examples = examples,
                        .workers = 1 + executor.idle()};
  return {most_candidates(options, size), steps_of_candidate(options, task.number, examples)};
}

}  // namespace

std::vector<TaskStanding> test_tasks(LearnState& state, const StopFlag* stop) {
  std::vector<TaskStanding> scores;
  for (const TaskGroup& group : tested_groups(state)) {
    const Dataset examples = tests_of(state.tests, group.first, state.options.rows(),
                                      static_cast<int>(state.classes.size()));
    scores.push_back({.task = group.first,
                      .last = group.last,
                      .examples = examples.size(),
                      .now = test(state, examples, labels_of(state, group), stop),
                      .labels = count_labels(examples)});
  }
  return scores;
}

std::vector<Label> labels_in(const Dataset& data) {
  std::set<Label> found;
  for (std::size_t row = 0; row < data.size(); ++row) found.insert(data.label(row));
  return {found.begin(), found.end()};
}

std::string fingerprint(const NewTask& task) {
  std::uint32_t sum = 0;
  const auto add = [&](std::string_view bytes) {
    sum = checksum(bytes, checksum(fmt::format("{} ", bytes.size()), sum));
  };
  for (const Dataset* data : {&task.train, &task.test}) {
    std::vector<std::uint8_t> scratch(data->shape().bytes());
    add(fmt::format("{} images", data->size()));
    for (std::size_t row = 0; row < data->size(); ++row) {
      add(task.classes[data->label(row)]);
      const std::uint8_t* const image = data->image(row, scratch);
      add({reinterpret_cast<const char*>(image), scratch.size()});
    }
  }
  return fmt::format("{}-{}-{:08x}", task.train.size(), task.test.size(), sum);
}

std::optional<int> learnt_as(const LearnState& state, const NewTask& task) {
  const std::string data = fingerprint(task);
  for (std::size_t number = state.tasks.size(); number > 0; --number) {
    if (state.tasks[number - 1].data == data) return static_cast<int>(number);
  }
  return std::nullopt;
}

Tested test(LearnState& state, const Dataset& examples, std::span<const Label> labels,
            const StopFlag* stop) {
  const Evaluation own = evaluate(*state.learner, examples, labels, stop);
  const Evaluation all = evaluate(*state.learner, examples, state.labels(), stop);
  return {own.accuracy, all.accuracy, own.predicted, all.predicted};
}

void check_classes(const LearnState& state, const std::vector<std::string>& classes,
                   std::span<const Label> labels) {
  assert(classes.size() >= state.classes.size());
  const std::size_t known = state.classes.size();
  if (classes.size() > std::numeric_limits<Label>::max())
    throw UsageError(fmt::format("{} classes are more than gpscl supports", classes.size()));
  const std::vector<std::string> added(classes.begin() + std::ssize(state.classes), classes.end());
  if (state.learner && is_file(state.options.method.network.model) &&
      state.learner->classes() < classes.size()) {
    throw UsageError(fmt::format(
        "the model of this state has {} outputs and uses {}, so {} cannot be added; start a new "
        "state with a model of {} outputs or more",
        state.learner->classes(), known, join(added), classes.size()));
  }
  for (std::size_t label = known; label < classes.size(); ++label) {
    if (std::find(labels.begin(), labels.end(), label) == labels.end())
      throw UsageError(fmt::format("class '{}' has no image to learn from", classes[label]));
  }
  const std::string& learner = state.options.method.learner.name;
  if (!needs_new_classes(learner)) return;
  for (const Label label : labels) {
    if (label < known) {
      throw UsageError(
          fmt::format("learner '{}' learns only new classes, but '{}' is known; er and der++ also "
                      "learn new examples of known classes",
                      learner, classes[label]));
    }
  }
}

LearnReport learn(LearnState& state, const NewTask& offered_task, Executor& executor,
                  const LearnHooks& hooks) {
  NewTask task = offered_task;
  task.train = state.erased.without_them(offered_task.train, state.memory);
  task.test = state.erased.without_them(offered_task.test, state.memory);
  const std::size_t erased =
      offered_task.train.size() - task.train.size() + offered_task.test.size() - task.test.size();
  if (state.options.keep_days > 0)
    remove_images(state, images_before(state, oldest_kept(state.options.keep_days, task.when)));
  const Method& method = state.options.method;
  validate(method, kLearnOutlook);
  if (!task.planned.empty()) check_can_be_planned(method, {.knobs = task.planned});
  const int number = static_cast<int>(state.tasks.size()) + 1;
  const Rng rng = state.rng().fork("task", number);
  const std::vector<Label> offered = labels_in(task.train);
  if (offered.empty()) {
    throw DataError(fmt::format("{}: no image to learn from{}", task.name,
                                erased > 0 ? ", because all of them were erased" : ""));
  }
  check_classes(state, task.classes, offered);

  // Set test images aside before anything is learnt.
  Memory tests = state.tests;
  merge_tasks(tests, number, kLeastTests);
  const Division parts = divide(state, tests, task, rng.fork("held out"));
  const Dataset& train = parts.train;
  const Dataset& tested = parts.tested;
  const std::vector<Label> labels = labels_in(train);
  check_is_taught(state, task, labels);

  if (state.options.fits_epochs) {
    TrainOptions& training = state.options.method.training;
    training.epochs = usual_epochs(method.network.model, train.size(), training.batch);
  }
  const bool is_first = !state.learner && state.options.normalisation.mean.empty();
  if (is_first && state.options.has_backbone()) {
    state.options.normalisation = feature_normalisation(train);
  } else if (is_first && !is_file(method.network.model)) {
    state.options.normalisation = measured(train);
  }

  LearnReport report{.task = number,
                     .trained = train.size(),
                     .not_trained = parts.not_trained,
                     .not_tested = parts.not_tested,
                     .erased = erased,
                     .trained_before = state.trained.count(train)};
  report.new_classes.assign(task.classes.begin() + std::ssize(state.classes), task.classes.end());
  LearnProgress progress;
  std::mutex mutex;  // candidates end on any thread
  const auto tell = [&] {
    if (hooks.progress) hooks.progress(progress);
  };
  if (state.learner) {
    progress.is_testing = true;
    tell();
  }
  std::vector<TaskStanding> before = test_tasks(state, hooks.stop);
  std::optional<Tested> new_before;
  if (report.new_classes.empty() && tested.size() > 0)
    new_before = test(state, tested, labels, hooks.stop);

  add_classes(state, report.new_classes);
  if (!has_lasting_state(method.policy)) merge_tasks(state.memory, number, kLeastShare);

  progress.is_testing = false;
  const auto candidate_done = [&](const Plan&, const Outcome&) {
    const std::lock_guard lock(mutex);
    ++progress.tried;
    tell();
  };
  const auto policy = make_policy(method, kLearnOutlook, nullptr, executor,
                                  {.stop = hooks.stop, .candidate_done = candidate_done});
  if (!state.policy.empty()) {
    Archive saved(state.policy);
    policy->persist(saved);
    saved.finish();
    policy->check_fits(state.memory);
  }
  const Task now{number, train.materialised(), labels};
  TrainOptions training = method.training;
  if (!task.planned.empty()) {
    progress.is_planning = true;
    tell();
    report.plan = plan_for(state, task, now, executor, rng, hooks.stop);
    const Method planned = with(method, report.plan->recipe);
    state.learner = retuned(planned.learner, *state.learner);
    training = planned.training;
    progress.is_planning = false;
  }
  progress.steps_expected = steps_for(train.size(), training);
  const auto [candidates, candidate_steps] = search_of(method, state.memory, now, executor);
  if (hooks.begins)
    hooks.begins({*state.learner, state.memory, now, training, progress.steps_expected, candidates,
                  candidate_steps});
  tell();
  report.steps = train_task(*state.learner, *policy, state.memory, now, training, rng,
                            {.stop = hooks.stop, .progress = [&](int /*epoch*/, std::size_t steps) {
                               progress.steps_done += steps;
                               tell();
                             }});
  progress.is_choosing = true;
  progress.most_tried = candidates;
  tell();
  finish_task(*state.learner, *policy, state.memory, now, rng);
  check_is_finite(network_of(*state.learner));
  if (!policy->decisions().empty()) report.decision = policy->decisions().back();
  if (has_lasting_state(method.policy)) {
    Archive saved;
    policy->persist(saved);
    state.policy = saved.bytes();
  }

  TaskRecord record{.name = task.name,
                    .when = task.when,
                    .examples = train.size(),
                    .labels = labels,
                    .new_classes = static_cast<std::uint32_t>(report.new_classes.size()),
                    .tested = tested.size(),
                    .data = fingerprint(offered_task)};
  if (report.decision) {
    record.plan = report.decision->plan;
    record.quota = report.decision->quota;
  }
  progress.is_choosing = false;
  progress.is_testing = true;
  tell();
  // Test the old tasks on the same examples as before. Only then make room for the new one.
  report.scores = test_tasks(state, hooks.stop);
  for (std::size_t k = 0; k < before.size(); ++k) report.scores[k].before = before[k].now;
  if (tested.size() > 0) {
    const Tested end = test(state, tested, labels, hooks.stop);
    record.accuracy = end.accuracy;
    record.among_all = end.among_all;
    report.scores.push_back({number, number, tested.size(), new_before, end, count_labels(tested)});
  }
  report.problems = problems_of(report, replays(method.learner.name));
  state.trained.add(train);
  state.tests = std::move(tests);
  store_tests(state.tests, {number, tested}, parts.kept);
  state.tasks.push_back(std::move(record));
  state.first_seen.follow(state.memory, state.tests);
  return report;
}

}  // namespace gps
