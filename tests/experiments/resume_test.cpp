// A run that is stopped, or killed, and goes on from its checkpoint ends with the same bits: every
// learner under every policy, within epochs, within simulations.
#include <gmock/gmock.h>

#include "experiments/tiny_run.h"
#include "gps/core/files/files.h"
#include "gps/experiments/run_state.h"
#include "gps/experiments/spec/presets.h"
#include "support/temporary_folder.h"
#include "support/test_names.h"

namespace gps {
namespace resume_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::text_but_for_times;

struct Combination {
  std::string learner;
  std::string policy;
  bool is_running = false;  // --in-task running
};

std::vector<Combination> combinations() {
  std::vector<Combination> all;
  std::vector<std::string> policies = names(policy_catalog());
  policies.insert(policies.end(), {"mixed:0.3/cur", "gps:offline", "gps:cur", "ring-full:floor",
                                   "gradient:greedy"});
  for (const std::string& learner : names(learner_catalog())) {
    if (!replays(learner)) {
      all.push_back({learner, "none"});
      continue;
    }
    for (const std::string& policy : policies) all.push_back({learner, policy});
    all.push_back({learner, "mixed", true});
    all.push_back({learner, "gps", true});
  }
  return all;
}

// Time for tests: each look at it is a tick, and at some tick something happens.
struct Ticks {
  std::size_t now = 0;
  std::size_t at = 0;
  std::function<void()> happens;

  double operator()() {
    if (++now == at) happens();
    return static_cast<double>(now);
  }
};

class Resume : public ::testing::TestWithParam<Combination> {
 protected:
  static Spec spec(const Combination& combination) {
    Spec spec = testing::tiny_split_spec(combination.policy);
    spec.learner.name = combination.learner;
    apply_preset(spec, "paper");
    spec.training = {/*epochs=*/2, /*batch=*/5};
    if (combination.is_running) spec.policy.settings["in_task"] = "running";
    return spec;
  }
  static RunResult run_with(const Spec& spec, const RunHooks& hooks) {
    Executor executor(1);
    const testing::TinySplitSource source(spec.benchmark, /*classes=*/10, /*per_class=*/8);
    return run(spec, 0, source, executor, hooks);
  }
  std::filesystem::path file(const std::string& name = "run.ckpt") const {
    return folder_.path() / name;
  }

 private:
  testing::TemporaryFolder folder_{testing::in_memory()};
};

TEST_P(Resume, IsStoppedAgainAndAgainAndEndsWithTheSameBits) {
  const Spec spec = Resume::spec(GetParam());
  const std::string expected = text_but_for_times(run_with(spec, {}));
  std::size_t stops = 0;
  for (std::optional<RunResult> result; !result;) {
    StopFlag stop;
    Ticks ticks{.at = 23 + stops % 7, .happens = [&] { stop.request(); }};
    Checkpoints checkpoints(file(), {.seconds = 1e9, .clock = std::ref(ticks)});
    try {
      result = run_with(spec, {&stop, nullptr, &checkpoints});
      EXPECT_EQ(text_but_for_times(*result), expected);
    } catch (const Interrupted&) {
      ++stops;
      ASSERT_TRUE(checkpoints.exists());
    }
    ASSERT_LT(stops, 100u) << "gets nowhere";
  }
  EXPECT_GE(stops, 1u);
}

// What lies in the folder when the program is killed is what a copy of it shows.
TEST_P(Resume, IsKilledAtAnyTimeAndEndsWithTheSameBits) {
  const Spec spec = Resume::spec(GetParam());
  Ticks all;
  Checkpoints whole(file("whole.ckpt"), {.seconds = 7, .clock = std::ref(all)});
  const std::string expected = text_but_for_times(run_with(spec, {nullptr, nullptr, &whole}));
  for (const double when : {0.3, 0.55, 0.95}) {
    Ticks ticks{.at = static_cast<std::size_t>(when * static_cast<double>(all.now)),
                .happens = [&] {
                  std::filesystem::copy(file("killed.ckpt"), file(),
                                        std::filesystem::copy_options::overwrite_existing);
                }};
    Checkpoints killed(file("killed.ckpt"), {.seconds = 7, .clock = std::ref(ticks)});
    killed.remove();
    run_with(spec, {nullptr, nullptr, &killed});
    std::vector<std::string> told;
    Checkpoints again(file(), {.tell = [&](const std::string& line) { told.push_back(line); }});
    EXPECT_EQ(text_but_for_times(run_with(spec, {nullptr, nullptr, &again})), expected);
    EXPECT_THAT(told, ElementsAre(HasSubstr("continues in task")));
  }
}

INSTANTIATE_TEST_SUITE_P(Catalog, Resume, ::testing::ValuesIn(combinations()),
                         [](const auto& combination) {
                           return testing::test_name(combination.param.learner) + "_" +
                                  testing::test_name(combination.param.policy) +
                                  (combination.param.is_running ? "_running" : "");
                         });

class ResumeTests : public Resume {};

TEST_F(ResumeTests, EndsWithTheSameBitsWhereFewTasksAreTested) {
  for (const Combination& combination :
       {Combination{"er", "gps"}, Combination{"gdumb", "ring-full"}}) {
    for (const char* when : {"last", "2", "seen"}) {
      Spec spec = Resume::spec(combination);
      spec.evaluation = {.when = when, .test_images = 7};
      const std::string expected = text_but_for_times(run_with(spec, {}));
      StopFlag stop;
      Ticks ticks{.at = 31, .happens = [&] { stop.request(); }};
      Checkpoints checkpoints(file(), {.seconds = 1e9, .clock = std::ref(ticks)});
      checkpoints.remove();
      EXPECT_THROW(run_with(spec, {&stop, nullptr, &checkpoints}), Interrupted) << when;
      ASSERT_TRUE(checkpoints.exists());
      Checkpoints again(file(), {.seconds = 1e9});
      EXPECT_EQ(text_but_for_times(run_with(spec, {nullptr, nullptr, &again})), expected) << when;
    }
  }
}

// Pixels are stored as they were before the permutation of their task, which no checkpoint has.
TEST_F(ResumeTests, EndsWithTheSameBitsWithPicturesOfPermutedTasks) {
  for (const char* policy : {"reservoir", "gps"}) {
    Spec spec = testing::tiny_spec(policy);
    spec.codec = "pack:16";
    const std::string expected = text_but_for_times(testing::tiny_run(spec));
    StopFlag stop;
    Checkpoints checkpoints(file(), {.seconds = 1e9});
    checkpoints.remove();
    EXPECT_THROW(testing::tiny_run(spec, 0,
                                   {&stop,
                                    [&](const RunProgress& progress) {
                                      if (progress.task == 3) stop.request();
                                    },
                                    &checkpoints}),
                 Interrupted);
    ASSERT_TRUE(checkpoints.exists());
    EXPECT_EQ(text_but_for_times(testing::tiny_run(spec, 0, {nullptr, nullptr, &checkpoints})),
              expected)
        << policy;
  }
}

class ResumeSimulation : public Resume {};

TEST_F(ResumeSimulation, DoesNotSimulateFinishedCandidatesAgain) {
  const Spec spec = Resume::spec({"er", "gps"});
  std::size_t all = 0;  // candidates of the first task's end, by an uninterrupted run
  const auto expected = run_with(spec, {nullptr, [&](const RunProgress& progress) {
                                          if (progress.task == 1) all = progress.futures_tried;
                                        }});
  ASSERT_GE(all, 2u);
  StopFlag stop;
  Checkpoints checkpoints(file(), {.seconds = 0});
  EXPECT_THROW(run_with(spec, {&stop,
                               [&](const RunProgress& progress) {
                                 if (progress.futures_tried == 1) stop.request();
                               },
                               &checkpoints}),
               Interrupted);
  std::size_t rest = 0;
  const auto resumed = run_with(spec, {nullptr,
                                       [&](const RunProgress& progress) {
                                         if (progress.task == 1) rest = progress.futures_tried;
                                       },
                                       &checkpoints});
  EXPECT_EQ(rest, all - 1);
  EXPECT_EQ(text_but_for_times(resumed), text_but_for_times(expected));
}

class ResumeMadeUp : public Resume {
 protected:
  // What a run says of its checkpoint at the beginning of task 2 after its state was changed and
  // the checksum made right.
  std::string complaint(const std::function<void(std::string&)>& change) const {
    const Spec spec = Resume::spec({"er", "reservoir"});
    const testing::TinySplitSource source(spec.benchmark, /*classes=*/10, /*per_class=*/8);
    const RunIdentity identity = identity_of(spec, 0, *source.stream(0));
    Checkpoints checkpoints(file(), {.seconds = 1e9});
    checkpoints.remove();
    StopFlag stop;
    EXPECT_THROW(run_with(spec, {&stop,
                                 [&](const RunProgress& progress) {
                                   if (progress.task == 2) stop.request();
                                 },
                                 &checkpoints}),
                 Interrupted);
    std::string state = checkpoints.load(identity).value_or("");
    change(state);
    checkpoints.save(identity, state);
    try {
      run_with(spec, {nullptr, nullptr, &checkpoints});
    } catch (const DataError& error) {
      return error.what();
    }
    return "(fine)";
  }

  std::string complaint(std::size_t at, int byte) const {
    return complaint([&](std::string& state) { state.at(at) = static_cast<char>(byte); });
  }

  // Changes what a saved state says of the position and the results. It is at the beginning of a
  // text within the state.
  static void change_results(std::string& state, const std::function<void(RunState&)>& change) {
    Archive outer(state);
    std::string taken;
    outer(taken);
    const std::string rest = state.substr(sizeof(std::uint64_t) + taken.size());
    Archive inner(taken);
    RunState results;
    results.persist(inner);
    Archive before;
    results.persist(before);
    change(results);
    Archive after;
    results.persist(after);
    taken = after.bytes() + taken.substr(before.bytes().size());
    Archive whole;
    whole(taken);
    state = whole.bytes() + rest;
  }
};

TEST_F(ResumeMadeUp, StatesAreRefusedWhereTheyDoNotFitTheRun) {
  // A length, and "position" with its length.
  constexpr std::size_t kTask = 8 + 16;
  constexpr std::size_t kEpoch = kTask + 4 + 1;
  constexpr std::size_t kStream = kEpoch + 4 + 8 + 8;
  const std::string file_and_state = file().string() + ": saved state: ";
  EXPECT_EQ(complaint(kTask, 2), "(fine)");
  EXPECT_EQ(complaint(kTask, 99),
            file_and_state + "the run continues in a task that it does not have");
  EXPECT_EQ(complaint(kTask, 0),
            file_and_state + "the run continues in a task that it does not have");
  EXPECT_EQ(complaint(kTask, 3),
            file_and_state + "the accuracies are not those of the finished tasks");
  EXPECT_THAT(complaint(kEpoch + 3, 0x80), HasSubstr(file_and_state + "epoch is -"));
  EXPECT_EQ(complaint(kStream + 24, 9),
            file_and_state + "position in a random stream is 9, must be between 0 and 4");
}

TEST_F(ResumeMadeUp, SharesOfAnswersAreRefusedWhereTheyDoNotFitTheTasks) {
  const auto told = [&](const std::function<void(RunState&)>& change) {
    return complaint([&](std::string& state) { change_results(state, change); });
  };
  const std::string refusal = file().string() + ": saved state: " +
                              "the shares of answers are not those of the finished tasks";
  EXPECT_EQ(told([](RunState&) {}), "(fine)");
  EXPECT_EQ(told([](RunState& state) { state.answers.clear(); }), refusal);
  EXPECT_EQ(told([](RunState& state) { state.answers.at(0).pop_back(); }), refusal);
}

class ResumeTimes : public Resume {};

TEST_F(ResumeTimes, AddsThemUp) {
  const Spec spec = Resume::spec({"er", "reservoir"});
  Checkpoints checkpoints(file(), {.seconds = 0});
  const RunResult once = run_with(spec, {nullptr, nullptr, &checkpoints});
  const RunResult again = run_with(spec, {nullptr, nullptr, &checkpoints});  // nothing left to do
  EXPECT_EQ(text_but_for_times(again), text_but_for_times(once));
  EXPECT_EQ(again.seconds.training, once.seconds.training);
  EXPECT_EQ(again.seconds.evaluation, once.seconds.evaluation);
  EXPECT_GE(again.peak_memory_bytes, once.peak_memory_bytes);
}

}  // namespace resume_test
}  // namespace gps
