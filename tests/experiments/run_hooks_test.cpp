// Watching a run and stopping it.
#include <gtest/gtest.h>

#include "experiments/tiny_run.h"

namespace gps {
namespace run_hooks_test {

using testing::tiny_run;
using testing::tiny_spec;
using testing::tiny_spec_without_memory;

TEST(RunHooks, ProgressOnlyGrowsAndEndsWhereItWasExpectedTo) {
  for (const Spec& spec : {tiny_spec("gps"), tiny_spec_without_memory("joint")}) {
    std::vector<RunProgress> seen;
    const RunHooks hooks{nullptr, [&](const RunProgress& progress) { seen.push_back(progress); }};
    const RunResult result = tiny_run(spec, 0, hooks);
    ASSERT_GT(seen.size(), 2u);
    for (std::size_t k = 1; k < seen.size(); ++k) {
      EXPECT_GE(seen[k].steps_done, seen[k - 1].steps_done);
      EXPECT_GE(seen[k].task, seen[k - 1].task);
      EXPECT_LE(seen[k].steps_done, seen[k].steps_expected);
      EXPECT_EQ(seen[k].steps_expected, result.steps) << "known from the start, tasks being alike";
    }
    EXPECT_EQ(seen.back().steps_done, seen.back().steps_expected);
    EXPECT_EQ(seen.back().steps_done, result.steps);
    EXPECT_EQ(seen.back().task, seen.back().tasks);
  }
}

TEST(RunHooks, ProgressTellsTheMeanAccuracyOverTheTasksSeenOnceATask) {
  std::vector<double> told;
  const RunHooks hooks{nullptr, [&](const RunProgress& progress) {
                         if (progress.accuracy) told.push_back(*progress.accuracy);
                       }};
  const RunResult result = tiny_run(tiny_spec("mixed"), 0, hooks);
  const AccuracyMatrix& r = result.accuracy;
  ASSERT_EQ(told.size(), 3u);
  EXPECT_NEAR(told[0], r[0][0], 1e-12);
  EXPECT_NEAR(told[1], (r[1][0] + r[1][1]) / 2, 1e-12);
  EXPECT_NEAR(told[2], result.metrics.average_accuracy(), 1e-12);
}

TEST(RunHooks, StopsAtOnceWhenAskedBeforeItStarts) {
  StopFlag stop;
  stop.request();
  EXPECT_THROW(tiny_run(tiny_spec("reservoir"), 0, {&stop, {}}), Interrupted);
}

TEST(RunHooks, StopsInTheMiddleOfATask) {
  StopFlag stop;
  const RunHooks hooks{&stop, [&](const RunProgress& progress) {
                         if (progress.task == 2) stop.request();
                       }};
  EXPECT_THROW(tiny_run(tiny_spec("ring-full"), 0, hooks), Interrupted);
}

TEST(RunHooks, StopsInTheMiddleOfASimulation) {
  Spec spec = tiny_spec("gps");
  spec.policy.settings["simulation_epochs"] = 1000000;  // would take hours
  StopFlag stop;
  const RunHooks hooks{&stop, [&](const RunProgress& progress) {
                         if (progress.is_simulating) stop.request();
                       }};
  EXPECT_THROW(tiny_run(spec, 0, hooks), Interrupted);
}

// The first three stop points are those of the three test sets, before anything is learnt.
TEST(RunHooks, StopsInTheMiddleOfAnEvaluation) {
  StopFlag stop;
  int points = 0;
  stop.at_stop_points([&] {
    if (++points == 2) stop.request();
  });
  EXPECT_THROW(tiny_run(tiny_spec("reservoir"), 0, {&stop, {}}), Interrupted);
  EXPECT_EQ(points, 2) << "the third test set was evaluated all the same";
}

}  // namespace run_hooks_test
}  // namespace gps
