// Watching a run and stopping it.
#include <gtest/gtest.h>

#include "experiments/tiny_run.h"

namespace gps {
namespace run_hooks_test {

using testing::tiny_run;
using testing::tiny_spec;
using testing::tiny_spec_without_memory;
using testing::TinySource;

// A stream that asks for a stop when its second test set is fetched.
class StoppingBenchmark final : public Benchmark {
 public:
  StoppingBenchmark(std::unique_ptr<Benchmark> stream, StopFlag& stop, int& last)
      : stream_(std::move(stream)), stop_(stop), last_(last) {}
  int tasks() const override { return stream_->tasks(); }
  int classes() const override { return stream_->classes(); }
  const ImageShape& shape() const override { return stream_->shape(); }
  Task task(int i) const override { return stream_->task(i); }
  Dataset test(int i) const override {
    last_ = i;
    if (i == 2) stop_.request();
    return stream_->test(i);
  }

 private:
  std::unique_ptr<Benchmark> stream_;
  StopFlag& stop_;
  int& last_;
};

class StoppingSource final : public BenchmarkSource {
 public:
  StoppingSource(const TinySource& tiny, StopFlag& stop, int& last)
      : tiny_(tiny), stop_(stop), last_(last) {}
  std::unique_ptr<Benchmark> stream(std::uint64_t seed) const override {
    return std::make_unique<StoppingBenchmark>(tiny_.stream(seed), stop_, last_);
  }

 private:
  const TinySource& tiny_;
  StopFlag& stop_;
  int& last_;
};

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

TEST(RunHooks, StopsInTheMiddleOfAnEvaluation) {
  const Spec spec = tiny_spec("reservoir");
  const TinySource tiny(spec.benchmark);
  StopFlag stop;
  int last = 0;
  Executor executor(1);
  EXPECT_THROW(run(spec, 0, StoppingSource(tiny, stop, last), executor, {&stop, {}}), Interrupted);
  EXPECT_EQ(last, 2) << "the third test set was evaluated all the same";
}

}  // namespace run_hooks_test
}  // namespace gps
