#include "gps/deployment/learn.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <set>

#include "gps/deployment/held_out.h"
#include "gps/deployment/merge_tasks.h"
#include "gps/training/evaluate.h"

namespace gps {
namespace {

// Stands where policies want a benchmark, which only the oracle looks at.
class NoBenchmark final : public Benchmark {
 public:
  explicit NoBenchmark(const LearnState& state) : state_(state) {}
  int tasks() const override { return 0; }
  int classes() const override { return static_cast<int>(state_.classes.size()); }
  const ImageShape& shape() const override { return state_.options.shape; }
  Task task(int /*i*/) const override { return {}; }
  Dataset test(int /*i*/) const override { return {}; }

 private:
  const LearnState& state_;
};

// The rows that are not among these, in their order.
std::vector<std::uint32_t> others(std::size_t size, std::span<const std::uint32_t> rows) {
  std::vector<bool> is_taken(size, false);
  for (const std::uint32_t row : rows) is_taken[row] = true;
  std::vector<std::uint32_t> rest;
  for (std::uint32_t row = 0; row < size; ++row) {
    if (!is_taken[row]) rest.push_back(row);
  }
  return rest;
}

// Every earlier task that is still tested.
std::vector<TaskScore> test_tasks(LearnState& state, const StopFlag* stop) {
  std::vector<TaskScore> scores;
  for (std::size_t k = 0; k < state.tasks.size(); ++k) {
    const int task = static_cast<int>(k) + 1;
    if (state.tests.count(task) == 0) continue;
    const Dataset examples =
        tests_of(state.tests, task, state.options.shape, static_cast<int>(state.classes.size()));
    scores.push_back(
        {task, examples.size(), {}, test(state, examples, state.tasks[k].labels, stop)});
  }
  return scores;
}

}  // namespace

std::vector<Label> labels_in(const Dataset& data) {
  std::set<Label> found;
  for (std::size_t row = 0; row < data.size(); ++row) found.insert(data.label(row));
  return {found.begin(), found.end()};
}

Tested test(LearnState& state, const Dataset& examples, std::span<const Label> labels,
            const StopFlag* stop) {
  return {evaluate(*state.learner, examples, labels, stop).accuracy,
          evaluate(*state.learner, examples, state.labels(), stop).accuracy};
}

void check_classes(const LearnState& state, const std::vector<std::string>& classes,
                   std::span<const Label> labels) {
  assert(classes.size() >= state.classes.size());
  const std::size_t known = state.classes.size();
  if (classes.size() > std::numeric_limits<Label>::max())
    throw UsageError(fmt::format("{} classes are more than gpscl can tell apart", classes.size()));
  const std::vector<std::string> added(classes.begin() + std::ssize(state.classes), classes.end());
  if (state.learner && is_file(state.options.spec.network.model) &&
      state.learner->network().classes() < classes.size()) {
    throw UsageError(fmt::format(
        "the model of this state has {} outputs, {} of them in use: no room for {}; start a new "
        "state with a model of {} outputs or more",
        state.learner->network().classes(), known, join(added), classes.size()));
  }
  for (std::size_t label = known; label < classes.size(); ++label) {
    if (std::find(labels.begin(), labels.end(), label) == labels.end())
      throw UsageError(fmt::format("class '{}' has no image to learn from", classes[label]));
  }
  if (state.options.spec.learner.name != "icarl") return;
  for (const Label label : labels) {
    if (label < known) {
      throw UsageError(fmt::format(
          "learner 'icarl' learns new classes only, and '{}' is known; er and der++ learn from new "
          "examples of known ones too",
          classes[label]));
    }
  }
}

LearnReport learn(LearnState& state, const NewTask& task, Executor& executor,
                  const LearnHooks& hooks) {
  const Spec& spec = state.options.spec;
  const int number = static_cast<int>(state.tasks.size()) + 1;
  const Rng rng = state.rng().fork("task", number);
  const std::vector<Label> labels = labels_in(task.train);
  if (labels.empty()) throw DataError(fmt::format("{}: no image to learn from", task.name));
  check_classes(state, task.classes, labels);

  // What is tested, before anything is learnt.
  const bool has_tests = task.test.size() > 0;
  const Dataset& offered = has_tests ? task.test : task.train;
  const std::vector<std::uint32_t> held =
      hold_out(offered, test_quota(state.tests, offered.size()), has_tests, rng.fork("held out"));
  const Dataset train = has_tests ? task.train : task.train.subset(others(task.train.size(), held));
  const Dataset tested = has_tests ? task.test : task.train.subset(held);

  LearnReport report{.task = number, .trained = train.size()};
  report.new_classes.assign(task.classes.begin() + std::ssize(state.classes), task.classes.end());
  std::vector<TaskScore> before = test_tasks(state, hooks.stop);
  std::optional<Tested> new_before;
  if (report.new_classes.empty() && tested.size() > 0)
    new_before = test(state, tested, labels, hooks.stop);

  add_classes(state, report.new_classes);
  if (!has_lasting_state(spec.policy)) merge_tasks(state.memory);

  LearnProgress progress{.steps_done = 0, .steps_expected = steps_for(train.size(), spec.training)};
  const auto tell = [&] {
    if (hooks.progress) hooks.progress(progress);
  };
  const NoBenchmark none(state);
  const auto policy = make_policy(spec, none, executor, {.stop = hooks.stop});
  if (!state.policy.empty()) {
    Archive saved(state.policy);
    policy->persist(saved);
  }
  const Task now{number, train.materialised(), labels};
  tell();
  report.steps = train_task(*state.learner, *policy, state.memory, now, spec.training, rng,
                            {.stop = hooks.stop, .progress = [&](int /*epoch*/, std::size_t steps) {
                               progress.steps_done += steps;
                               tell();
                             }});
  progress.is_choosing = true;
  tell();
  finish_task(*state.learner, *policy, state.memory, now, rng);
  if (!policy->decisions().empty()) report.decision = policy->decisions().back();
  if (has_lasting_state(spec.policy)) {
    Archive saved;
    policy->persist(saved);
    state.policy = saved.bytes();
  }

  TaskRecord record{.name = task.name,
                    .when = task.when,
                    .examples = train.size(),
                    .labels = labels,
                    .new_classes = static_cast<std::uint32_t>(report.new_classes.size()),
                    .tested = tested.size()};
  if (report.decision) {
    record.ring = report.decision->ring_size;
    record.quota = report.decision->quota;
  }
  // The old tasks on what they were tested on before, and only then is room made for the new one.
  report.scores = test_tasks(state, hooks.stop);
  for (std::size_t k = 0; k < before.size(); ++k) report.scores[k].before = before[k].now;
  if (tested.size() > 0) {
    const Tested end = test(state, tested, labels, hooks.stop);
    record.accuracy = end.accuracy;
    record.among_all = end.among_all;
    report.scores.push_back({number, tested.size(), new_before, end});
  }
  store_tests(state.tests, {number, offered}, held);
  state.tasks.push_back(std::move(record));
  return report;
}

}  // namespace gps
