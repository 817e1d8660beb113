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

// One run, from nothing or from a checkpoint to its result.
class Run {
 public:
  Run(const Spec& asked, std::uint64_t seed, const BenchmarkSource& source, Executor& executor,
      const RunHooks& hooks)
      : spec_(with_identified_network(asked)),
        seed_(seed),
        rng_(seed),
        executor_(executor),
        hooks_(hooks),
        benchmark_(source.stream(seed)),
        method_(in_examples(spec_)),
        parts_(first_parts()),
        stages_(learns_jointly(spec_.learner.name) ? 1 : benchmark_->tasks()),
        tests_(test_sets(*benchmark_, spec_.evaluation, rng_.fork("evaluation"))) {
    state_.result.spec = spec_;
    state_.result.seed = seed;
    parts_.policy = new_policy();
    tell_while_training();
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  RunResult result() {
    const bool is_resumed = hooks_.checkpoints != nullptr && resume();
    watch_.lap();
    if (!is_resumed) evaluate_untrained();
    while (state_.task <= stages_) {
      learn_task();
      if (keeper_ && keeper_->is_due_at_task_end()) keeper_->take_and_save();
    }
    conclude();
    if (hooks_.finished)
      hooks_.finished(state_.result, *parts_.learner, parts_.memory, benchmark_->shape());
    return std::move(state_.result);
  }

 private:
  // What learns and what is stored.

  static Spec with_identified_network(const Spec& asked) {
    validate(asked);
    Spec spec = asked;
    spec.network = identified(asked.network);
    return spec;
  }

  Method in_examples(const Spec& spec) const {
    Spec counted = spec;
    count_in_examples(counted, benchmark_->shape(), benchmark_->classes());
    validate(counted);
    return static_cast<const Method&>(counted);
  }

  RunParts first_parts() const {
    return {make_learner(spec_.learner,
                         make_network(spec_.network, benchmark_->shape(), benchmark_->classes(),
                                      benchmark_->normalisation(), rng_.fork("network"))),
            nullptr, new_memory(spec_)};
  }

  Memory new_memory(const Method& method) const {
    return make_memory(method, benchmark_->shape(), benchmark_->augmentation(),
                       benchmark_->classes());
  }

  std::unique_ptr<MemoryPolicy> new_policy() {
    const auto candidate_done = [this](const Plan&, const Outcome&) { count_candidate(); };
    return make_policy(method_, outlook_of(spec_.benchmark), benchmark_.get(), executor_,
                       {hooks_.stop, candidate_done, hooks_.team});
  }

  // Plans.

  // Later choices change how tasks are learnt, but not what is stored or by whom.
  void follow(const RecipeChoice& choice) {
    const Method& given = spec_;
    method_ = with(given, choice.recipe);
    count_in_examples(method_, benchmark_->shape(), benchmark_->classes());
    parts_.learner = retuned(method_.learner, *parts_.learner);
    if (choice.task > 1) return;
    parts_.memory = new_memory(with(given, choice.recipe));
    parts_.policy = new_policy();
  }

  void plan(const Task& task) {
    PlanningNeeds needs = planning_needs(spec_, *benchmark_, hooks_.stop);
    needs.tried = [this](const Recipe&) {
      ++progress_.futures_tried;
      report();
    };
    std::vector<RecipeChoice>& choices = state_.result.plan.choices;
    const bool is_open =
        state_.result.plan.is_empty() || (needs.is_split && choices.back().task < task.number);
    if (!is_open) return;
    progress_.is_planning = true;
    report();
    const Rng rng = plan_rng(seed_, task.number);
    choices.push_back(task.number == 1 ? plan_stream(task, needs, executor_, rng)
                                       : plan_task(task, *parts_.learner, parts_.memory, choices,
                                                   needs, executor_, rng));
    follow(choices.back());
    if (hooks_.planned) hooks_.planned(choices.back());
    progress_.is_planning = false;
    progress_.futures_tried = 0;
    charge(&Seconds::simulation);
  }

  // Checkpoints.

  // Returns whether there was a checkpoint. From now on, the run is stopped only after saving one.
  bool resume() {
    keeper_.emplace(*hooks_.checkpoints, identity_of(spec_, seed_, *benchmark_), *benchmark_,
                    state_, parts_, [this] {
                      for (const RecipeChoice& choice : state_.result.plan.choices) follow(choice);
                    });
    const bool is_resumed = keeper_->resume();
    train_hooks_.stop = nullptr;
    train_hooks_.before_step = [this](const TrainPosition& position) { save_if_due(position); };
    return is_resumed;
  }

  void save_if_due(const TrainPosition& position) {
    const bool stops = hooks_.stop != nullptr && hooks_.stop->is_requested();
    if (!stops && !keeper_->is_due()) return;
    state_.at = position;
    charge(&Seconds::training);
    keeper_->take_and_save();
    if (stops) throw Interrupted();
  }

  // Progress and time.

  void charge(double Seconds::*phase) { state_.result.seconds.*phase += watch_.lap(); }

  void report() const {
    if (hooks_.progress) hooks_.progress(progress_);
  }

  void tell_while_training() {
    train_hooks_.stop = hooks_.stop;
    if (!hooks_.progress) return;
    train_hooks_.progress = [this](int epoch, std::size_t steps) {
      progress_.epoch = epoch;
      progress_.steps_done += steps;
      report();
    };
  }

  // Candidates finish on any thread.
  void count_candidate() {
    const std::lock_guard lock(progress_mutex_);
    ++progress_.futures_tried;
    report();
    if (!keeper_ || !keeper_->is_due()) return;
    charge(&Seconds::simulation);
    keeper_->save();
  }

  // Tasks to come are taken for as large as this one.
  std::size_t expected_steps(const Task& task) const {
    const int to_come = stages_ - state_.task + (state_.is_trained ? 0 : 1);
    return state_.result.steps +
           steps_for(task.train.size(), method_.training) * static_cast<std::size_t>(to_come);
  }

  void begin_progress(const Task& task) {
    progress_ = {.task = state_.task,
                 .tasks = stages_,
                 .epoch = std::max(1, state_.at.epoch),
                 .epochs = passes_for(task.train.size(), method_.training),
                 .is_simulating = false,
                 .is_planning = false,
                 .futures_tried = 0,
                 .futures_most = 0,
                 .is_testing = false,
                 .tested = 0,
                 .tests = 0,
                 .steps_done = state_.result.steps + state_.at.steps,
                 .steps_expected = expected_steps(task),
                 .accuracy = {}};
    report();
  }

  void tell_accuracies(const MatrixRow& row) {
    if (!row.accuracy.empty()) {
      const int seen = stages_ == 1 ? benchmark_->tasks() : state_.task;
      const auto mean_of_seen = [seen](const std::vector<double>& values) {
        return std::accumulate(values.begin(), values.begin() + seen, 0.0) / seen;
      };
      progress_.accuracy = mean_of_seen(row.accuracy);
      if (has_own_labels()) progress_.among_all = mean_of_seen(row.unmasked_accuracy);
    }
    progress_.is_simulating = false;
    report();
  }

  // The tasks.

  void learn_task() {
    const Task task = stage(spec_, *benchmark_, state_.task);
    const Rng rng = rng_.fork("task", state_.task);
    begin_progress(task);
    watch_.lap();
    if (!state_.is_trained) train(task, rng);
    if (keeper_) keeper_->take_before_finish();
    MatrixRow row = finish_and_evaluate(task, rng);
    tell_accuracies(row);
    record(std::move(row));
    ++state_.task;
    state_.is_trained = false;
  }

  void train(const Task& task, const Rng& rng) {
    if (state_.at.epoch == 0 && !spec_.planning.knobs.empty()) {
      plan(task);
      begin_progress(task);
    }
    state_.result.steps += train_task(*parts_.learner, *parts_.policy, parts_.memory, task,
                                      method_.training, rng, train_hooks_, state_.at);
    state_.at = {};
    state_.is_trained = true;
    charge(&Seconds::training);
  }

  MatrixRow finish_and_evaluate(const Task& task, const Rng& rng) {
    progress_.is_simulating = simulates(method_.policy);
    if (progress_.is_simulating && hooks_.team == nullptr)
      progress_.futures_most =
          search_bound(method_, spec_.benchmark, parts_.memory, task, executor_);
    report();
    try {
      if (keeper_ && keeper_->is_due()) keeper_->save();
      finish_task(*parts_.learner, *parts_.policy, parts_.memory, task, rng);
      charge(&Seconds::simulation);
      if (hooks_.team != nullptr)
        hooks_.team->agree(fingerprint_of(network_of(*parts_.learner).state()),
                           fmt::format("the weights after task {}", state_.task));
      MatrixRow row = evaluate_after(state_.task);
      charge(&Seconds::evaluation);
      return row;
    } catch (const Interrupted&) {
      charge(&Seconds::simulation);
      if (keeper_) keeper_->save();
      throw;
    }
  }

  MatrixRow evaluate_after(int stage) {
    const std::size_t count = tested_after(stage, stages_, benchmark_->tasks(), spec_.evaluation);
    const auto tested_now = std::span<const TestSet>(tests_).first(count);
    progress_.is_simulating = false;
    progress_.is_testing = true;
    progress_.tests = 0;
    for (const TestSet& test : tested_now) progress_.tests += test.examples.size();
    const auto tell_tested = [this](std::size_t images) {
      progress_.tested = images;
      report();
    };
    if (progress_.tests > 0) tell_tested(0);
    MatrixRow row =
        evaluate_all(*parts_.learner, tested_now, stage, executor_, hooks_.stop, tell_tested);
    progress_.is_testing = false;
    return row;
  }

  void evaluate_untrained() {
    progress_.tasks = stages_;
    if (hooks_.progress)
      progress_.steps_expected = expected_steps(stage(spec_, *benchmark_, state_.task));
    MatrixRow row = evaluate_after(0);
    state_.result.accuracy_at_initialisation = std::move(row.accuracy);
    state_.among_all.accuracy_at_initialisation = std::move(row.unmasked_accuracy);
    charge(&Seconds::evaluation);
  }

  // The result.

  bool has_own_labels() const { return !benchmark_->labels_of(1).empty(); }
  bool has_memory() const { return spec_.policy.name != "none"; }

  void record(MatrixRow row) {
    RunResult& result = state_.result;
    result.accuracy.push_back(std::move(row.accuracy));
    result.class_accuracy.push_back(std::move(row.class_accuracy));
    state_.among_all.accuracy.push_back(std::move(row.unmasked_accuracy));
    state_.answers.push_back(std::move(row.answer_share));
    if (has_memory())
      result.memory.push_back(composition_of(parts_.memory, state_.task, benchmark_->classes()));
  }

  void conclude() {
    RunResult& result = state_.result;
    result.metrics = compute_metrics(
        {result.accuracy, result.accuracy_at_initialisation, result.class_accuracy});
    if (has_own_labels()) conclude_among_all();
    result.class_names = benchmark_->class_names();
    result.task_names = benchmark_->task_names();
    result.skipped_images = benchmark_->skipped_images();
    result.decisions = parts_.policy->decisions();
    std::vector<GuessedTest> guesses;
    for (const TestSet& test : tests_) guesses.push_back(guessed(test.examples));
    Findings findings =
        findings_of(result, guesses, state_.answers, common_guess(*benchmark_, tests_));
    result.warnings = std::move(findings.warnings);
    result.has_collapsed = findings.has_collapsed;
    if (has_memory()) result.memory_bytes = parts_.memory.bytes(parts_.learner->classes());
    result.peak_memory_bytes = std::max(result.peak_memory_bytes, peak_memory_bytes());
  }

  void conclude_among_all() {
    ClassIncremental& among_all = state_.among_all;
    for (int task = 1; task <= benchmark_->tasks(); ++task)
      state_.result.labels.push_back(benchmark_->labels_of(task));
    among_all.metrics = compute_metrics(among_all.accuracy, among_all.accuracy_at_initialisation);
    state_.result.class_incremental = std::move(among_all);
  }

  const Spec spec_;
  const std::uint64_t seed_;
  const Rng rng_;
  Executor& executor_;
  const RunHooks& hooks_;
  const std::unique_ptr<Benchmark> benchmark_;
  Method method_;  // what learns now, with a memory counted in examples: as given, or as planned
  RunParts parts_;
  const int stages_;
  const std::vector<TestSet> tests_;
  RunState state_;
  TrainHooks train_hooks_;
  std::optional<Keeper> keeper_;
  Stopwatch watch_;
  RunProgress progress_;
  std::mutex progress_mutex_;
};

}  // namespace

RunResult run(const Spec& spec, std::uint64_t seed, const BenchmarkSource& source,
              Executor& executor, const RunHooks& hooks) {
  return Run(spec, seed, source, executor, hooks).result();
}

}  // namespace gps
