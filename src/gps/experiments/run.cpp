#include "gps/experiments/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <numeric>
#include <utility>

#include "gps/experiments/method_memory.h"
#include "gps/experiments/planning/transition.h"
#include "gps/experiments/run_state.h"
#include "gps/experiments/spec/spec_planning.h"
#include "gps/experiments/warnings.h"
#include "gps/memory/build.h"
#include "gps/nn/catalog.h"
#include "gps/simulation/search_bound.h"

namespace gps {
namespace {

class Stopwatch {
 public:
  // Returns the seconds since the last lap.
  double lap() {
    const auto before = std::exchange(start_, std::chrono::steady_clock::now());
    return std::chrono::duration<double>(start_ - before).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct MatrixRow {
  std::vector<double> accuracy;
  std::vector<double> class_accuracy;
  std::vector<double> unmasked_accuracy;
  std::vector<double> answer_share;  // of the most frequent answer
};

double largest_share(const std::vector<std::size_t>& counts, std::size_t all) {
  return static_cast<double>(*std::max_element(counts.begin(), counts.end())) /
         static_cast<double>(all);
}

// `tests` are those of the first tasks.
MatrixRow evaluate_all(Learner& learner, std::span<const TestSet> tests, int learnt,
                       Executor& executor, const StopFlag* stop,
                       const std::function<void(std::size_t)>& tested) {
  MatrixRow row;
  for (const Evaluation& end : evaluate_accuracies(learner, tests, executor, stop, tested)) {
    const std::size_t at = row.accuracy.size();
    if (!std::isfinite(end.loss)) {
      throw Diverged(fmt::format(
          "the loss on task {} is not a finite number after task {}; try a smaller learning rate",
          at + 1, learnt));
    }
    row.accuracy.push_back(end.accuracy);
    row.class_accuracy.push_back(end.class_accuracy);
    row.unmasked_accuracy.push_back(end.unmasked_accuracy);
    row.answer_share.push_back(largest_share(end.predicted, tests[at].examples.size()));
  }
  return row;
}

// Returns the share of the most frequent label in all tests, if every task has all classes.
std::optional<double> common_guess(const Benchmark& benchmark, std::span<const TestSet> tests) {
  if (!benchmark.labels_of(1).empty()) return std::nullopt;
  std::vector<std::size_t> labels;
  for (const TestSet& test : tests) {
    const std::vector<std::size_t> counts = count_labels(test.examples);
    labels.resize(std::max(labels.size(), counts.size()));
    for (std::size_t label = 0; label < counts.size(); ++label) labels[label] += counts[label];
  }
  return guessed(labels).guess;
}

// Returns the i-th task to train: a task of the benchmark, or one task made of all of them.
Task stage(const Spec& spec, const Benchmark& benchmark, int i) {
  if (!learns_jointly(spec.learner.name)) {
    const Task task = benchmark.task(i);
    // Each image is used once per epoch, so transform it only once.
    return {i, task.train.materialised(), task.labels, task.augmentation};
  }
  std::vector<Dataset> parts;
  for (int task = 1; task <= benchmark.tasks(); ++task) parts.push_back(benchmark.task(task).train);
  return {1, Dataset::concatenated(parts), {}, benchmark.augmentation()};
}

// Returns the most candidates that the policy may simulate after this task.
std::size_t search_bound(const Method& method, const BenchmarkOptions& stream, const Memory& memory,
                         const Task& task, Executor& executor) {
  const SimulationOptions options =
      simulation_options(method.policy.settings, simulation_needs(method, outlook_of(stream)));
  return most_candidates(options, {.task = task.number,
                                   .capacity = memory.capacity(),
                                   .quota = quota_of(memory, task, task.train.size()),
                                   .examples = task.train.size(),
                                   .workers = 1 + executor.idle()});
}

}  // namespace

RunResult run(const Spec& asked, std::uint64_t seed, const BenchmarkSource& source,
              Executor& executor, const RunHooks& hooks) {
  validate(asked);
  Spec spec = asked;
  spec.network = identified(asked.network);
  const Rng rng(seed);
  const std::unique_ptr<Benchmark> benchmark = source.stream(seed);
  Spec counted = spec;  // with a memory counted in examples
  count_in_examples(counted, benchmark->shape(), benchmark->classes());
  validate(counted);
  const auto new_memory = [&](const Method& method) {
    return make_memory(method, benchmark->shape(), benchmark->augmentation(), benchmark->classes());
  };
  RunParts parts{make_learner(spec.learner,
                              make_network(spec.network, benchmark->shape(), benchmark->classes(),
                                           benchmark->normalisation(), rng.fork("network"))),
                 nullptr, new_memory(spec)};
  Method method = counted;  // what learns now: as given, or as planned

  RunState state;
  RunResult& result = state.result;
  ClassIncremental& among_all = state.among_all;
  result.spec = spec;
  result.seed = seed;
  std::optional<Keeper> keeper;
  Stopwatch watch;
  const auto charge = [&](double Seconds::*phase) { result.seconds.*phase += watch.lap(); };

  RunProgress progress;
  std::mutex progress_mutex;  // candidates finish on any thread
  const auto report = [&] {
    if (hooks.progress) hooks.progress(progress);
  };
  const auto candidate_done = [&](const Plan&, const Outcome&) {
    const std::lock_guard lock(progress_mutex);
    ++progress.futures_tried;
    report();
    if (!keeper || !keeper->is_due()) return;
    charge(&Seconds::simulation);
    keeper->save();
  };
  const auto new_policy = [&] {
    return make_policy(method, outlook_of(spec.benchmark), benchmark.get(), executor,
                       {hooks.stop, candidate_done, hooks.team});
  };
  parts.policy = new_policy();
  // Later choices change how tasks are learnt, but not what is stored or by whom.
  const auto follow = [&](const RecipeChoice& choice) {
    method = with(spec, choice.recipe);
    count_in_examples(method, benchmark->shape(), benchmark->classes());
    parts.learner = retuned(method.learner, *parts.learner);
    if (choice.task > 1) return;
    parts.memory = new_memory(with(spec, choice.recipe));
    parts.policy = new_policy();
  };
  const auto follow_plan = [&] {
    for (const RecipeChoice& choice : result.plan.choices) follow(choice);
  };
  const int stages = learns_jointly(spec.learner.name) ? 1 : benchmark->tasks();
  const std::vector<TestSet> tests = test_sets(*benchmark, spec.evaluation, rng.fork("evaluation"));
  const auto evaluate_after = [&](int stage) {
    const std::size_t count = tested_after(stage, stages, benchmark->tasks(), spec.evaluation);
    const auto tested_now = std::span(tests).first(count);
    progress.is_simulating = false;
    progress.is_testing = true;
    progress.tests = 0;
    for (const TestSet& test : tested_now) progress.tests += test.examples.size();
    const auto tell_tested = [&](std::size_t images) {
      progress.tested = images;
      report();
    };
    if (progress.tests > 0) tell_tested(0);
    MatrixRow row =
        evaluate_all(*parts.learner, tested_now, stage, executor, hooks.stop, tell_tested);
    progress.is_testing = false;
    return row;
  };

  TrainHooks train_hooks{.stop = hooks.stop, .progress = {}};
  if (hooks.progress) {
    train_hooks.progress = [&](int epoch, std::size_t steps) {
      progress.epoch = epoch;
      progress.steps_done += steps;
      report();
    };
  }
  bool is_resumed = false;
  if (hooks.checkpoints != nullptr) {
    keeper.emplace(*hooks.checkpoints, identity_of(spec, seed, *benchmark), *benchmark, state,
                   parts, follow_plan);
    is_resumed = keeper->resume();
    train_hooks.stop = nullptr;  // stop only after saving a checkpoint
    train_hooks.before_step = [&](const TrainPosition& position) {
      const bool stops = hooks.stop != nullptr && hooks.stop->is_requested();
      if (!stops && !keeper->is_due()) return;
      state.at = position;
      charge(&Seconds::training);
      keeper->take_and_save();
      if (stops) throw Interrupted();
    };
  }

  PlanningNeeds planning = planning_needs(spec, *benchmark, hooks.stop);
  planning.tried = [&](const Recipe&) {
    ++progress.futures_tried;
    report();
  };
  const auto plan_for = [&](const Task& task) {
    PlanRecord& plan = result.plan;
    const bool is_open =
        plan.is_empty() || (planning.is_split && plan.choices.back().task < task.number);
    if (spec.planning.knobs.empty() || !is_open) return;
    progress.is_planning = true;
    report();
    const Rng for_plan = plan_rng(seed, task.number);
    plan.choices.push_back(task.number == 1
                               ? plan_stream(task, planning, executor, for_plan)
                               : plan_task(task, *parts.learner, parts.memory, plan.choices,
                                           planning, executor, for_plan));
    follow(plan.choices.back());
    if (hooks.planned) hooks.planned(plan.choices.back());
    progress.is_planning = false;
    progress.futures_tried = 0;
    charge(&Seconds::simulation);
  };

  watch.lap();
  if (!is_resumed) {
    MatrixRow row = evaluate_after(0);
    result.accuracy_at_initialisation = std::move(row.accuracy);
    among_all.accuracy_at_initialisation = std::move(row.unmasked_accuracy);
    charge(&Seconds::evaluation);
  }
  while (state.task <= stages) {
    const int i = state.task;
    const Task task = stage(spec, *benchmark, i);
    const Rng task_rng = rng.fork("task", i);
    const auto begin_progress = [&] {
      const std::size_t still_to_come =
          steps_for(task.train.size(), method.training) *
          static_cast<std::size_t>(stages - i + (state.is_trained ? 0 : 1));
      progress = {.task = i,
                  .tasks = stages,
                  .epoch = std::max(1, state.at.epoch),
                  .epochs = passes_for(task.train.size(), method.training),
                  .is_simulating = false,
                  .is_planning = false,
                  .futures_tried = 0,
                  .futures_most = 0,
                  .is_testing = false,
                  .tested = 0,
                  .tests = 0,
                  .steps_done = result.steps + state.at.steps,
                  .steps_expected = result.steps + still_to_come,
                  .accuracy = {}};
      report();
    };
    begin_progress();
    watch.lap();
    if (!state.is_trained) {
      if (state.at.epoch == 0 && !spec.planning.knobs.empty()) {
        plan_for(task);
        begin_progress();
      }
      result.steps += train_task(*parts.learner, *parts.policy, parts.memory, task, method.training,
                                 task_rng, train_hooks, state.at);
      state.at = {};
      state.is_trained = true;
      charge(&Seconds::training);
    }
    if (keeper) keeper->take_before_finish();
    progress.is_simulating = simulates(method.policy);
    if (progress.is_simulating && hooks.team == nullptr)
      progress.futures_most = search_bound(method, spec.benchmark, parts.memory, task, executor);
    report();
    MatrixRow row;
    try {
      if (keeper && keeper->is_due()) keeper->save();
      finish_task(*parts.learner, *parts.policy, parts.memory, task, task_rng);
      charge(&Seconds::simulation);
      if (hooks.team != nullptr)
        hooks.team->agree(fingerprint_of(network_of(*parts.learner).state()),
                          fmt::format("the weights after task {}", i));
      row = evaluate_after(i);
      charge(&Seconds::evaluation);
    } catch (const Interrupted&) {
      charge(&Seconds::simulation);
      if (keeper) keeper->save();
      throw;
    }

    if (!row.accuracy.empty()) {
      const int seen = stages == 1 ? benchmark->tasks() : i;
      const auto mean_of_seen = [seen](const std::vector<double>& values) {
        return std::accumulate(values.begin(), values.begin() + seen, 0.0) / seen;
      };
      progress.accuracy = mean_of_seen(row.accuracy);
      if (!benchmark->labels_of(1).empty())
        progress.among_all = mean_of_seen(row.unmasked_accuracy);
    }
    progress.is_simulating = false;
    report();
    result.accuracy.push_back(std::move(row.accuracy));
    result.class_accuracy.push_back(std::move(row.class_accuracy));
    among_all.accuracy.push_back(std::move(row.unmasked_accuracy));
    state.answers.push_back(std::move(row.answer_share));
    if (spec.policy.name != "none")
      result.memory.push_back(composition_of(parts.memory, i, benchmark->classes()));
    ++state.task;
    state.is_trained = false;
    if (keeper && keeper->is_due_at_task_end()) keeper->take_and_save();
  }
  result.metrics =
      compute_metrics({result.accuracy, result.accuracy_at_initialisation, result.class_accuracy});
  if (!benchmark->labels_of(1).empty()) {
    for (int task = 1; task <= benchmark->tasks(); ++task)
      result.labels.push_back(benchmark->labels_of(task));
    among_all.metrics = compute_metrics(among_all.accuracy, among_all.accuracy_at_initialisation);
    result.class_incremental = std::move(among_all);
  }
  result.class_names = benchmark->class_names();
  result.task_names = benchmark->task_names();
  result.skipped_images = benchmark->skipped_images();
  result.decisions = parts.policy->decisions();
  std::vector<GuessedTest> guesses;
  for (const TestSet& test : tests) guesses.push_back(guessed(test.examples));
  Findings findings = findings_of(result, guesses, state.answers, common_guess(*benchmark, tests));
  result.warnings = std::move(findings.warnings);
  result.has_collapsed = findings.has_collapsed;
  if (spec.policy.name != "none")
    result.memory_bytes = parts.memory.bytes(parts.learner->classes());
  result.peak_memory_bytes = std::max(result.peak_memory_bytes, peak_memory_bytes());
  if (hooks.finished) hooks.finished(result, *parts.learner, parts.memory, benchmark->shape());
  return std::move(result);
}

}  // namespace gps
