// Runs that are planned: what they see, what they keep, and how they go on.
#include <gmock/gmock.h>

#include <set>

#include "experiments/tiny_run.h"
#include "gps/experiments/planning/codec_trial.h"
#include "gps/experiments/spec/spec_planning.h"
#include "support/temporary_folder.h"

namespace gps {
namespace planned_run_test {

using testing::text_but_for_times;

Spec planned_spec(const std::string& knobs = "all") {
  Spec spec = testing::tiny_spec("reservoir");
  spec.planning.knobs = knobs;
  return spec;
}

Spec planned_split_spec() {
  Spec spec = testing::tiny_split_spec("reservoir");
  spec.planning.knobs = "all";
  return spec;
}

// A stream whose tasks from `first` on are noise, in training and in test.
class Poisoned final : public Benchmark {
 public:
  Poisoned(std::unique_ptr<Benchmark> stream, int first)
      : stream_(std::move(stream)), first_(first) {}
  int tasks() const override { return stream_->tasks(); }
  int classes() const override { return stream_->classes(); }
  const ImageShape& shape() const override { return stream_->shape(); }
  Task task(int i) const override {
    Task task = stream_->task(i);
    if (i >= first_) task.train = noise(task.train);
    return task;
  }
  Dataset test(int i) const override { return noise(stream_->test(i)); }
  std::vector<Label> labels_of(int task) const override { return stream_->labels_of(task); }

 private:
  static Dataset noise(const Dataset& data) {
    Rng rng(99);
    return data.edited([&](std::span<const std::uint8_t>, std::span<std::uint8_t> out) {
      for (std::uint8_t& pixel : out) pixel = static_cast<std::uint8_t>(rng.index(256));
    });
  }
  std::unique_ptr<Benchmark> stream_;
  int first_;
};

class PoisonedSource final : public BenchmarkSource {
 public:
  PoisonedSource(const BenchmarkSource& source, int first) : source_(source), first_(first) {}
  std::unique_ptr<Benchmark> stream(std::uint64_t seed) const override {
    return std::make_unique<Poisoned>(source_.stream(seed), first_);
  }

 private:
  const BenchmarkSource& source_;
  int first_;
};

std::string plan_text(const RunResult& result, std::size_t choices) {
  PlanRecord record = result.plan;
  record.choices.resize(std::min(choices, record.choices.size()));
  return to_json(record).dump();
}

TEST(PlannedRun, PlansTheSameWhateverTheLaterTasksAndTheTestsAre) {
  const Spec spec = planned_spec();
  Executor executor(2);
  const testing::TinySource source(spec.benchmark);
  const RunResult real = run(spec, 0, source, executor);
  const RunResult poisoned = run(spec, 0, PoisonedSource(source, 2), executor);
  ASSERT_EQ(real.plan.choices.size(), 1u);
  EXPECT_EQ(plan_text(poisoned, 1), plan_text(real, 1));
  EXPECT_NE(poisoned.accuracy, real.accuracy);
}

TEST(PlannedRun, OfASplitStreamSeesTheCurrentTaskAndNoLaterOne) {
  const Spec spec = planned_split_spec();
  Executor executor(2);
  const testing::TinySplitSource source(spec.benchmark, 10, 12);
  const RunResult real = run(spec, 0, source, executor);
  ASSERT_EQ(real.plan.choices.size(), 5u);
  for (const int first : {2, 3, 5}) {
    const RunResult poisoned = run(spec, 0, PoisonedSource(source, first), executor);
    const auto same = static_cast<std::size_t>(first) - 1;
    EXPECT_EQ(plan_text(poisoned, same), plan_text(real, same)) << first;
    EXPECT_NE(plan_text(poisoned, same + 1), plan_text(real, same + 1)) << first;
  }
}

TEST(PlannedRun, HasTheSameBitsForAnyNumberOfWorkers) {
  for (const Spec& spec : {planned_spec(), planned_split_spec()}) {
    const auto result = [&](int workers) {
      Executor executor(workers);
      if (is_split(spec.benchmark))
        return run(spec, 1, testing::TinySplitSource(spec.benchmark, 10, 12), executor);
      return run(spec, 1, testing::TinySource(spec.benchmark), executor);
    };
    const std::string one = text_but_for_times(result(1));
    EXPECT_EQ(text_but_for_times(result(3)), one);
  }
}

TEST(PlannedRun, FollowsItsPlan) {
  const RunResult planned = testing::tiny_run(planned_spec(), 2);
  const Recipe& chosen = planned.plan.recipe();
  Spec direct = testing::tiny_spec("reservoir");
  static_cast<Method&>(direct) = with(direct, chosen);
  const RunResult same = testing::tiny_run(direct, 2);
  EXPECT_EQ(planned.accuracy, same.accuracy);
  EXPECT_EQ(planned.steps, same.steps);
}

TEST(PlannedRun, ChangesOnlyWhatItIsToldToPlan) {
  const RunResult planned = testing::tiny_run(planned_spec("lr"), 2);
  Recipe chosen = planned.plan.recipe();
  Recipe given = recipe_of(testing::tiny_spec("reservoir"));
  chosen.learning_rate = given.learning_rate;
  EXPECT_EQ(chosen, given);
}

// The run trains for so long that the budget has room for three rehearsals of its length.
TEST(PlannedRun, TriesEveryCodecHoweverLongTheRunIs) {
  Spec spec = planned_spec("codec");
  spec.planning.budget = 1;
  spec.training.epochs = 40;
  spec.memory = 0;
  spec.memory_bytes = 2000;
  const RunResult planned = testing::tiny_run(spec);
  const RecipeChoice& choice = planned.plan.choices.at(0);
  std::set<std::string> tried;
  for (const RecipeTrial& trial : choice.trials) {
    tried.insert(trial.recipe.codec);
    EXPECT_LT(trial.work, planned.steps) << "a shorter rehearsal";
    EXPECT_EQ(trial.recipe.steps, 0) << "the length stays as given";
  }
  const std::vector<std::string> codecs =
      codecs_for(testing::TinySource(spec.benchmark).stream(0)->shape());
  EXPECT_EQ(tried, std::set<std::string>(codecs.begin(), codecs.end()));
  EXPECT_EQ(choice.recipe.steps, 0);
  EXPECT_FALSE(choice.expected) << "what a shorter rehearsal reaches is not expected of the run";
}

TEST(PlannedRun, GoesOnFromACheckpointWithTheSameBits) {
  for (const Spec& spec : {planned_spec(), planned_split_spec()}) {
    const auto run_with = [&](const RunHooks& hooks) {
      Executor executor(1);
      if (is_split(spec.benchmark))
        return run(spec, 0, testing::TinySplitSource(spec.benchmark, 10, 12), executor, hooks);
      return run(spec, 0, testing::TinySource(spec.benchmark), executor, hooks);
    };
    const std::string expected = text_but_for_times(run_with({}));
    testing::TemporaryFolder folder{testing::in_memory()};
    std::size_t stops = 0;
    for (bool is_done = false; !is_done;) {
      StopFlag stop;
      std::size_t tasks = 0;
      RunHooks hooks;
      hooks.stop = &stop;
      // Stops at the end of the next task: a plan is not kept before that.
      hooks.progress = [&](const RunProgress& progress) {
        if (progress.accuracy && ++tasks == 1 && stops < 4) stop.request();
      };
      Checkpoints checkpoints(folder.path() / "run.ckpt", {.seconds = 1e9});
      hooks.checkpoints = &checkpoints;
      try {
        EXPECT_EQ(text_but_for_times(run_with(hooks)), expected);
        is_done = true;
      } catch (const Interrupted&) {
        ++stops;
        ASSERT_LT(stops, 20u);
      }
    }
    EXPECT_GE(stops, 2u);
  }
}

TEST(PlannedRun, IsTheSameAfterJson) {
  for (const Spec& spec : {planned_spec(), planned_spec("lr,length")}) {
    const RunResult result = testing::tiny_run(spec);
    EXPECT_EQ(to_json(result_from_json(to_json(result))), to_json(result));
  }
  const RunResult split = testing::tiny_split_run(planned_split_spec());
  EXPECT_EQ(to_json(result_from_json(to_json(split))), to_json(split));
}

TEST(PlannedRun, OfGpsclPlanIsThatOfTheRun) {
  const Spec spec = planned_spec();
  Executor executor(1);
  const testing::TinySource source(spec.benchmark);
  const RunResult result = run(spec, 3, source, executor);
  const RecipeChoice choice = plan_first_task(spec, 3, *source.stream(3), executor, nullptr);
  EXPECT_EQ(choice.recipe, result.plan.recipe());
}

TEST(PlannedRun, OfALearnerThatCannotBePlannedIsRefused) {
  for (const char* learner : {"hal", "icarl", "agem"}) {
    Spec spec = testing::tiny_split_spec("reservoir");
    spec.learner.name = learner;
    spec.planning.knobs = "lr";
    EXPECT_THROW(validate(spec), OptionError) << learner;
  }
  Spec spec = planned_spec("speed");
  EXPECT_THROW(validate(spec), OptionError);
}

TEST(PlannedRun, IsCalledAPlan) {
  EXPECT_EQ(run_label(planned_spec(), false), "plan");
  EXPECT_EQ(run_label(planned_spec("lr,length"), false), "plan:lr+length reservoir");
  const Spec without = planned_spec("learner,length,weights,memory-batch,policy,codec");
  EXPECT_EQ(run_label(without, false), "plan except lr");
  EXPECT_EQ(run_label(testing::tiny_spec("reservoir"), false), "reservoir");
}

}  // namespace planned_run_test
}  // namespace gps
