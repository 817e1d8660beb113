#include "gps/simulation/gps_policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "gps/policies/mixed.h"
#include "policies/policy_contract.h"
#include "support/passing_learner.h"

namespace gps {
namespace gps_policy_test {

// A long-tailed permuted stream: the commonest of six classes is 20 times commoner than the rarest.
std::unique_ptr<Benchmark> long_tailed_stream(int tasks, std::uint64_t seed = 1) {
  BenchmarkOptions options;
  options.tasks = tasks;
  options.imbalance = 20;
  return testing::TinySource(options, /*classes=*/6, /*per_class=*/40).stream(seed);
}

SimulationOptions tiny_options(int tasks) {
  SimulationOptions options;
  options.tasks = tasks;
  options.examples = 30;
  options.score_examples = 60;
  return options;
}

std::unique_ptr<Learner> er_learner(const Benchmark& benchmark) {
  return make_learner({},
                      std::make_unique<FusedMlp>(
                          std::vector<std::size_t>{benchmark.shape().bytes(), 10,
                                                   static_cast<std::size_t>(benchmark.classes())},
                          Initialisation::xavier, Rng(1)));
}

// Passes everything on, notes the batches; its clones do not.
class NotingLearner final : public testing::PassingLearner {
 public:
  using PassingLearner::PassingLearner;
  double observe(const Batch& now, const Memory& past, Rng& rng) override {
    batches.push_back(now.ids);
    return inner_->observe(now, past, rng);
  }

  std::vector<std::vector<std::uint32_t>> batches;
};

struct Trace {
  std::vector<std::vector<std::uint32_t>> batches;
  std::vector<Memory> memories;
  std::vector<Decision> decisions;
  std::vector<float> parameters;
};

Trace trace(const Benchmark& benchmark, MemoryPolicy& policy, std::size_t capacity) {
  NotingLearner learner(er_learner(benchmark));
  Memory memory(capacity, benchmark.shape().bytes());
  Trace result;
  for (int i = 1; i <= benchmark.tasks(); ++i) {
    const Task task = benchmark.task(i);
    const Rng rng = Rng(1).fork("task", i);
    train_task(learner, policy, memory, task, {.epochs = 2, .batch = 10}, rng);
    tell_end(policy, memory, task, learner, rng.fork("end"));
    result.memories.push_back(memory);
  }
  result.batches = learner.batches;
  result.decisions = policy.decisions();
  result.parameters = network_of(learner).parameters();
  return result;
}

Trace trace_gps(const Benchmark& benchmark, const SimulationOptions& options, int workers = 1,
                std::size_t capacity = 24) {
  Executor executor(workers);
  const auto policy = make_gps(options, make_permutation(), executor, SimulationHooks{});
  return trace(benchmark, *policy, capacity);
}

TEST(Gps, RecordsOneDecisionATaskWithItsProbes) {
  const auto benchmark = long_tailed_stream(4);
  const Trace result = trace_gps(*benchmark, tiny_options(4));
  ASSERT_EQ(result.decisions.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const Decision& decision = result.decisions[i];
    EXPECT_EQ(decision.task, static_cast<int>(i) + 1);
    EXPECT_EQ(decision.quota, 24 / (i + 1));
    EXPECT_LE(decision.plan.ring_size, decision.quota);
  }
  for (std::size_t i = 0; i < 3; ++i) EXPECT_GE(result.decisions[i].trials.size(), 3u);
}

TEST(Gps, SearchesNothingAfterTheLastTask) {
  const auto benchmark = long_tailed_stream(3);
  const Decision last = trace_gps(*benchmark, tiny_options(3)).decisions.back();
  EXPECT_TRUE(last.trials.empty());
  EXPECT_EQ(last.quota, 8u);
  EXPECT_EQ(last.plan.ring_size, 4u);
}

TEST(Gps, ChoosesTheProbeThatIsForgottenLeast) {
  const auto benchmark = long_tailed_stream(4);
  for (const Objective objective : {Objective::accuracy, Objective::loss}) {
    SimulationOptions options = tiny_options(4);
    options.objective = objective;
    const Trace result = trace_gps(*benchmark, options);
    for (std::size_t i = 0; i < 3; ++i) {
      const Decision& decision = result.decisions[i];
      const auto chosen =
          std::find_if(decision.trials.begin(), decision.trials.end(),
                       [&](const Trial& trial) { return trial.plan == decision.plan; });
      ASSERT_NE(chosen, decision.trials.end());
      for (const Trial& trial : decision.trials) {
        EXPECT_LE(trial.plan.ring_size, decision.quota);
        if (objective == Objective::accuracy) {
          EXPECT_LE(trial.outcome.accuracy, chosen->outcome.accuracy);
        } else {
          EXPECT_GE(trial.outcome.loss, chosen->outcome.loss);
        }
      }
    }
  }
}

TEST(Gps, BuildsTheMemoryThatItDecidedOn) {
  const auto benchmark = long_tailed_stream(4);
  const Trace result = trace_gps(*benchmark, tiny_options(4));
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      std::size_t in_ring = 0;
      for (const Example& e : result.memories[i].examples()) {
        if (e.task == static_cast<int>(j) + 1 && e.part == Part::ring) ++in_ring;
      }
      EXPECT_EQ(in_ring, std::min(result.decisions[j].plan.ring_size, 24 / (i + 1)));
    }
  }
}

TEST(Gps, DecidesTheSameForAnyNumberOfWorkers) {
  const auto benchmark = long_tailed_stream(4);
  const Trace one = trace_gps(*benchmark, tiny_options(4), /*workers=*/1);
  const Trace three = trace_gps(*benchmark, tiny_options(4), /*workers=*/3);
  ASSERT_EQ(one.decisions.size(), three.decisions.size());
  for (std::size_t i = 0; i < one.decisions.size(); ++i) {
    const Decision& a = one.decisions[i];
    const Decision& b = three.decisions[i];
    EXPECT_EQ(a.plan, b.plan);
    ASSERT_EQ(a.trials.size(), b.trials.size());
    for (std::size_t k = 0; k < a.trials.size(); ++k) {
      EXPECT_EQ(a.trials[k].plan, b.trials[k].plan);
      EXPECT_EQ(a.trials[k].outcome.loss, b.trials[k].outcome.loss);
      EXPECT_EQ(a.trials[k].outcome.accuracy, b.trials[k].outcome.accuracy);
    }
  }
  EXPECT_EQ(one.parameters, three.parameters);
}

TEST(Gps, DoesNotDisturbTheRealDataOrder) {
  const auto benchmark = long_tailed_stream(4);
  const auto mixed = make_mixed({0.5}, InTask::strict);
  EXPECT_EQ(trace_gps(*benchmark, tiny_options(4)).batches, trace(*benchmark, *mixed, 24).batches);
}

TEST(Gps, IsMixedWithTheRatiosThatItFound) {
  // Imagination has no side effects: given the same ring sizes, the same parameters come out.
  const auto benchmark = long_tailed_stream(4);
  for (const InTask in_task : {InTask::strict, InTask::running}) {
    SimulationOptions options = tiny_options(4);
    options.in_task = in_task;
    const Trace found = trace_gps(*benchmark, options);
    std::vector<double> ratios;
    for (const Decision& decision : found.decisions) {
      ratios.push_back(static_cast<double>(decision.plan.ring_size) /
                       static_cast<double>(decision.quota));
    }
    const auto mixed = make_mixed(ratios, in_task);
    const Trace given = trace(*benchmark, *mixed, 24);
    EXPECT_EQ(given.parameters, found.parameters);
    for (std::size_t i = 0; i < 4; ++i) {
      testing::expect_same(given.memories[i], found.memories[i]);
    }
  }
}

TEST(Gps, PrefersBalanceWhereBalanceIsWhatCounts) {
  const auto loss_at = [](const Decision& decision, std::size_t ring_size) {
    for (const Trial& trial : decision.trials) {
      if (trial.plan.ring_size == ring_size) return trial.outcome.loss;
    }
    throw std::logic_error("not tried");
  };
  int searched = 0;
  int full_ring_is_better = 0;
  int has_ring = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const auto benchmark = long_tailed_stream(5, seed);
    SimulationOptions options = tiny_options(5);
    options.score = Score::balanced;
    options.objective = Objective::loss;
    options.training.epochs = 5;
    // So long that every search tries 0, the middle and the whole quota.
    options.stride = {.stride = 12, .smallest = 12, .largest = 12};
    for (const Decision& decision : trace_gps(*benchmark, options).decisions) {
      if (decision.trials.empty()) continue;
      ++searched;
      if (loss_at(decision, decision.quota) < loss_at(decision, 0)) ++full_ring_is_better;
      if (decision.plan.ring_size > 0) ++has_ring;
    }
  }
  ASSERT_EQ(searched, 24);
  // If balance did not matter, the first would be Binomial(24, 1/2), with mean 12 and deviation
  // 2.4, and the second, the best of three, Binomial(24, 2/3), with mean 16 and deviation 2.3.
  EXPECT_GE(full_ring_is_better, 19);
  EXPECT_GE(has_ring, 21);
}

// Candidates that a search over tiny data reports, and those that were simulated, with so many
// workers.
struct Tally {
  std::size_t probes = 0;
  std::size_t simulated = 0;
};
Tally candidates_with(int workers) {
  const auto benchmark = long_tailed_stream(3);
  Executor executor(workers);
  while (executor.idle() + 1 < static_cast<std::size_t>(workers)) std::this_thread::yield();
  std::atomic<std::size_t> done = 0;
  const auto policy =
      make_gps(tiny_options(3), make_permutation(), executor,
               SimulationHooks{nullptr, [&](const Plan&, const Outcome&) { ++done; }});
  Tally tally;
  for (const Decision& decision : trace(*benchmark, *policy, 24).decisions) {
    tally.probes += decision.trials.size();
  }
  tally.simulated = done;
  return tally;
}

TEST(Gps, TellsOfEachCandidateThatIsDone) {
  const Tally tally = candidates_with(1);
  EXPECT_GE(tally.probes, 6u);
  EXPECT_EQ(tally.simulated, tally.probes);
}

// Seven of eight workers are idle when the first search begins. Its first round looks ahead in both
// directions, of which the second takes one. How many are idle later depends on how fast they are,
// and is not asked for.
TEST(Gps, LooksAheadOnlyWhereWorkersAreIdle) {
  const Tally alone = candidates_with(1);
  const Tally many = candidates_with(8);
  EXPECT_EQ(many.probes, alone.probes);
  EXPECT_GT(many.simulated, alone.simulated);
}

// The search after the first task, by a policy that has read what `known` says was tried.
struct Searched {
  Decision decision;
  std::size_t simulated = 0;
  std::string tried;              // when all is done
  std::string tried_in_between;   // when two candidates are
  std::size_t tried_after_begin;  // of the next task
};
Searched search_knowing(const std::string& known) {
  const auto benchmark = long_tailed_stream(3);
  Executor executor(1);
  Searched result{};
  const auto tried_by = [](MemoryPolicy& policy) {
    Archive archive;
    policy.persist_search(archive);
    return archive.bytes();
  };
  std::unique_ptr<MemoryPolicy> policy;
  policy = make_gps(tiny_options(3), make_permutation(), executor,
                    SimulationHooks{nullptr, [&](const Plan&, const Outcome&) {
                                      if (++result.simulated == 2)
                                        result.tried_in_between = tried_by(*policy);
                                    }});
  const auto learner = er_learner(*benchmark);
  Memory memory(24, benchmark->shape().bytes());
  const Task task = benchmark->task(1);
  train_task(*learner, *policy, memory, task, {.epochs = 1, .batch = 10}, Rng(1));
  if (!known.empty()) {
    Archive archive(known);
    policy->persist_search(archive);
    archive.finish();
  }
  tell_end(*policy, memory, task, *learner, Rng(2));
  result.decision = policy->decisions().at(0);
  result.tried = tried_by(*policy);
  policy->begin_task(memory, benchmark->task(2), Rng(3));
  result.tried_after_begin = policy->tried();
  return result;
}

TEST(Gps, DoesNotTryAgainWhatItReadsThatItHasTried) {
  const Searched whole = search_knowing("");
  ASSERT_GE(whole.simulated, 3u);
  const Searched rest = search_knowing(whole.tried_in_between);
  EXPECT_EQ(rest.simulated, whole.simulated - 2);
  const Searched nothing = search_knowing(whole.tried);
  EXPECT_EQ(nothing.simulated, 0u);
  for (const Searched* again : {&rest, &nothing}) {
    EXPECT_EQ(again->decision.plan, whole.decision.plan);
    ASSERT_EQ(again->decision.trials.size(), whole.decision.trials.size());
    for (std::size_t k = 0; k < whole.decision.trials.size(); ++k) {
      EXPECT_EQ(again->decision.trials[k].plan, whole.decision.trials[k].plan);
      EXPECT_EQ(again->decision.trials[k].outcome.loss, whole.decision.trials[k].outcome.loss);
    }
    EXPECT_EQ(again->tried, whole.tried);
  }
  EXPECT_EQ(whole.tried_after_begin, 0u);
}

TEST(Gps, StopsASearchWhenAskedTo) {
  const auto benchmark = long_tailed_stream(4);
  Executor executor(2);
  StopFlag stop;
  const auto policy =
      make_gps(tiny_options(4), make_permutation(), executor, SimulationHooks{&stop, {}});
  const auto learner = er_learner(*benchmark);
  Memory memory(24, benchmark->shape().bytes());
  const Task task = benchmark->task(1);
  train_task(*learner, *policy, memory, task, {.epochs = 1, .batch = 10}, Rng(1));
  stop.request();
  EXPECT_THROW(tell_end(*policy, memory, task, *learner, Rng(2)), Interrupted);
}

}  // namespace gps_policy_test
}  // namespace gps
