#include "gps/probes/ring_size_curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "experiments/tiny_run.h"

namespace gps {
namespace ring_size_curve_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::tiny_run;
using testing::tiny_spec;

RingSizeOptions tiny_options(int task, const std::string& future) {
  RingSizeOptions options;
  options.spec = tiny_spec("mixed");
  options.task = task;
  options.future = future;
  options.ratios = {0, 0.5, 1};
  options.score_examples = std::get<int>(setting_of(options.spec.policy, "score_examples"));
  return options;
}

RingSizeCurve curve_of(const RingSizeOptions& options, int workers = 1,
                       const ProbeHooks& hooks = {}) {
  Executor executor(workers);
  return analyse(options, /*seed=*/0, testing::TinySource(options.spec.benchmark), executor, hooks);
}

double ratio_of(std::size_t ring_size, std::size_t quota) {
  return static_cast<double>(ring_size) / static_cast<double>(quota);
}

// The same simulations that the search of gps asks for after this task, if what it has decided
// before is what `mixed` is told.
void expect_what_gps_saw(const std::string& future, std::size_t task) {
  const Spec searching = tiny_spec("gps:" + future);
  const RunResult run = tiny_run(searching);
  const Decision& decision = run.decisions[task - 1];
  ASSERT_GE(decision.trials.size(), 3u);
  RingSizeOptions options = tiny_options(static_cast<int>(task), future);
  std::vector<double> ring;
  for (const Decision& each : run.decisions)
    ring.push_back(ratio_of(each.plan.ring_size, each.quota));
  options.spec.policy.settings["ring"] = ring;
  const SimulationOptions simulation = simulation_options(searching);
  options.epochs = simulation.training.epochs;
  options.examples = static_cast<int>(simulation.examples);
  options.ratios.clear();
  for (const Trial& trial : decision.trials)
    options.ratios.push_back(ratio_of(trial.plan.ring_size, decision.quota));
  const RingSizeCurve curve = curve_of(options);
  EXPECT_EQ(curve.quota, decision.quota);
  ASSERT_EQ(curve.points.size(), decision.trials.size());
  for (std::size_t k = 0; k < curve.points.size(); ++k) {
    EXPECT_EQ(curve.points[k].plan, decision.trials[k].plan);
    EXPECT_EQ(curve.points[k].end().loss, decision.trials[k].outcome.loss);
    EXPECT_EQ(curve.points[k].end().accuracy, decision.trials[k].outcome.accuracy);
  }
}

TEST(RingSizeCurve, IsToTheBitWhatTheSearchOfGpsSees) {
  for (const std::string& future : names(future_catalog())) {
    SCOPED_TRACE(future);
    expect_what_gps_saw(future, 1);
    expect_what_gps_saw(future, 2);
  }
}

TEST(RingSizeCurve, BeginsWhereARunOfMixedIsAfterTheTask) {
  for (const double others : {0.0, 1.0}) {
    RingSizeOptions options = tiny_options(2, "permutation");
    options.spec.policy.settings["ring"] = std::vector<double>{others};
    const RunResult run = tiny_run(options.spec);
    for (const RingSizePoint& point : curve_of(options).points)
      EXPECT_EQ(point.path.front().test_accuracy, run.accuracy[1][1]);
  }
}

TEST(RingSizeCurve, HasAScoreBeforeTheFutureAndAfterEachOfItsTasks) {
  const RingSizeCurve curve = curve_of(tiny_options(1, "rotation"));
  EXPECT_EQ(curve.quota, 24u);
  ASSERT_EQ(curve.points.size(), 3u);
  EXPECT_EQ(curve.points[0].plan, Plan{.ring_size = 0});
  EXPECT_EQ(curve.points[1].plan, Plan{.ring_size = 12});
  EXPECT_EQ(curve.points[2].plan, Plan{.ring_size = 24});
  for (const RingSizePoint& point : curve.points) EXPECT_EQ(point.path.size(), 3u);
  RingSizeOptions shorter = tiny_options(1, "rotation");
  shorter.window = 1;
  const RingSizeCurve one = curve_of(shorter);
  for (std::size_t k = 0; k < 3; ++k) {
    ASSERT_EQ(one.points[k].path.size(), 2u);
    EXPECT_EQ(one.points[k].path[1].test_loss, curve.points[k].path[1].test_loss)
        << "what comes later changes nothing before";
  }
}

TEST(RingSizeCurve, KnowsTheGlobalLossWhereTheFutureIsRealAndWhole) {
  RingSizeOptions options = tiny_options(2, "offline");
  const RingSizeCurve whole = curve_of(options);
  for (const RingSizePoint& point : whole.points) {
    ASSERT_TRUE(point.global_accuracy);
    // A mean over three tasks, of which task 2 is one.
    EXPECT_GE(*point.global_accuracy, point.end().test_accuracy / 3);
    EXPECT_LE(*point.global_accuracy, (point.end().test_accuracy + 2) / 3);
  }
  EXPECT_EQ(values_of(whole, Measure::global_loss)[1], *whole.points[1].global_loss);
  options.task = 1;
  options.window = 1;
  EXPECT_THROW(values_of(curve_of(options), Measure::global_loss), UsageError);
  EXPECT_FALSE(curve_of(tiny_options(2, "permutation")).points[0].global_loss);
}

TEST(RingSizeCurve, IsTheSameForAnyNumberOfThreads) {
  for (const char* future : {"offline", "permutation"}) {
    const RingSizeOptions options = tiny_options(2, future);
    EXPECT_EQ(to_json(curve_of(options, 1)).dump(), to_json(curve_of(options, 3)).dump());
  }
}

TEST(RingSizeCurve, SurvivesJsonToTheBit) {
  RingSizeCurve curve = curve_of(tiny_options(2, "offline"));
  curve.points[0].path.back().loss = std::numeric_limits<double>::infinity();
  const std::string text = to_json(curve).dump();
  const RingSizeCurve again = RingSizeCurve::from_json(nlohmann::json::parse(text));
  EXPECT_EQ(to_json(again).dump(), text);
  EXPECT_EQ(again.points[0].end().loss, std::numeric_limits<double>::infinity());
  EXPECT_EQ(again.points[1].end().loss, curve.points[1].end().loss);
}

TEST(RingSizeCurve, HasOneMemberOfItsJsonForEachKnob) {
  const RingSizeCurve curve{24, {{{.ring_size = 7}, {{1, 0.5, 2, 0.25}}}}};
  EXPECT_EQ(to_json(curve).dump(),
            R"({"points":[{"path":[{"accuracy":0.5,"loss":1.0,"test_accuracy":0.25,)"
            R"("test_loss":2.0}],"ring_size":7}],"quota":24})");
}

TEST(RingSizeCurve, CountsItsTasks) {
  std::vector<std::size_t> done;
  std::size_t expected = 0;
  curve_of(tiny_options(2, "offline"), 1,
           {.stop = nullptr, .progress = [&](const ProbeProgress& now) {
              done.push_back(now.done);
              expected = now.expected;
            }});
  EXPECT_THAT(done, ElementsAre(1u, 2u, 3u, 4u, 5u));  // two tasks, then one for each ring size
  EXPECT_EQ(expected, 5u);
}

TEST(RingSizeCurve, StopsWhenAskedTo) {
  StopFlag stop;
  stop.request();
  EXPECT_THROW(curve_of(tiny_options(1, "permutation"), 1, {.stop = &stop, .progress = {}}),
               Interrupted);
}

TEST(RingSizeOptions, HaveOneJsonForWhatIsTheSame) {
  RingSizeOptions options = tiny_options(1, "offline");
  const std::string text = to_json(options).dump();
  options.epochs = options.spec.training.epochs;
  options.window = 2;  // all that there are
  EXPECT_EQ(to_json(options).dump(), text);
  options.epochs = 1;
  EXPECT_NE(to_json(options).dump(), text);
}

TEST(RingSizeOptions, AreRefusedWhereTheyMakeNoCurve) {
  const auto complaint = [](const auto& change) -> std::string {
    RingSizeOptions options = tiny_options(1, "offline");
    change(options);
    try {
      validate(options);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "(fine)";
  };
  EXPECT_EQ(complaint([](RingSizeOptions&) {}), "(fine)");
  EXPECT_THAT(complaint([](auto& o) { o.task = 3; }), HasSubstr("between 1 and 2"));
  EXPECT_THAT(complaint([](auto& o) { o.task = 0; }), HasSubstr("got 0"));
  EXPECT_THAT(complaint([](auto& o) { o.future = "past"; }), HasSubstr("'past'"));
  EXPECT_THAT(complaint([](auto& o) { o.ratios = {1.5}; }), HasSubstr("1.5"));
  EXPECT_THAT(complaint([](auto& o) { o.ratios = {}; }), HasSubstr("`ratios`"));
  EXPECT_THAT(complaint([](auto& o) { o.spec = tiny_spec("reservoir"); }), HasSubstr("reservoir"));
  EXPECT_THAT(complaint([](auto& o) { o.score_examples = 0; }), HasSubstr("`score-examples`"));
}

TEST(EvenRatios, GoFromNoneToAll) {
  EXPECT_THAT(even_ratios(2), ElementsAre(0, 1));
  EXPECT_THAT(even_ratios(5), ElementsAre(0, 0.25, 0.5, 0.75, 1));
}

TEST(MeasureNames, AreReadBack) {
  for (const char* name : {"held-back-loss", "held-back-accuracy", "test-loss", "test-accuracy",
                           "global-loss", "global-accuracy"})
    EXPECT_EQ(name_of(measure_from(name)), name);
  EXPECT_THROW(measure_from("loss"), UsageError) << "of which examples?";
  EXPECT_THROW(measure_from("f1"), UsageError);
}

}  // namespace ring_size_curve_test
}  // namespace gps
