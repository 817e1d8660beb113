#include "gps/probes/zero_shot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/tiny_run.h"
#include "gps/probes/pseudo_tasks.h"

namespace gps {
namespace zero_shot_test {

using ::testing::ElementsAre;
using testing::tiny_run;
using testing::tiny_spec;

ZeroShot zero_shot_of(const Spec& spec, int after, int count, int workers = 1) {
  Executor executor(workers);
  return analyse(ZeroShotOptions{spec, after, count}, /*seed=*/0,
                 testing::TinySource(spec.benchmark), executor);
}

TEST(ZeroShot, OfRealTasksIsTheUpperTriangleOfARun) {
  for (const char* policy : {"reservoir", "mixed:0.3", "gps"}) {
    SCOPED_TRACE(policy);
    const RunResult run = tiny_run(tiny_spec(policy));
    const ZeroShot one = zero_shot_of(tiny_spec(policy), 1, 5);
    EXPECT_EQ(one.rows[0].source, "real");
    EXPECT_THAT(one.rows[0].accuracy, ElementsAre(run.accuracy[0][1], run.accuracy[0][2]));
    EXPECT_THAT(zero_shot_of(tiny_spec(policy), 2, 5).rows[0].accuracy,
                ElementsAre(run.accuracy[1][2]));
  }
}

TEST(ZeroShot, JudgesTasksAmongTheirOwnLabels) {
  const Spec spec = testing::tiny_split_spec("reservoir");
  const RunResult run = testing::tiny_split_run(spec);
  Executor executor(1);
  const testing::TinySplitSource source(spec.benchmark, /*classes=*/10, /*per_class=*/12);
  const ZeroShot result = analyse(ZeroShotOptions{spec, 2, 2}, 0, source, executor);
  EXPECT_THAT(result.rows[0].accuracy, ElementsAre(run.accuracy[1][2], run.accuracy[1][3]));
}

TEST(ZeroShot, HasARowForEachSourceOfTasks) {
  const ZeroShot result = zero_shot_of(tiny_spec("reservoir"), 2, 4);
  std::vector<std::string> sources;
  for (const ZeroShotRow& row : result.rows) {
    sources.push_back(row.source);
    EXPECT_EQ(row.accuracy.size(), row.source == "real" ? 1u : 4u);
  }
  EXPECT_EQ(sources, task_sources());
}

TEST(ZeroShot, IsTheSameForAnyNumberOfThreadsAndSurvivesJson) {
  const std::string text = to_json(zero_shot_of(tiny_spec("gps"), 2, 3)).dump();
  EXPECT_EQ(to_json(zero_shot_of(tiny_spec("gps"), 2, 3, 3)).dump(), text);
  EXPECT_EQ(to_json(ZeroShot::from_json(nlohmann::json::parse(text))).dump(), text);
}

TEST(ZeroShot, OfATaskTurnedAllTheWayRoundIsThatOfTheTask) {
  // The 24th rotation is by 360 degrees.
  const Spec spec = tiny_spec("reservoir");
  const RunResult run = tiny_run(spec);
  const ZeroShot result = zero_shot_of(spec, 1, 24);
  const ZeroShotRow& rotation = result.rows[2];
  ASSERT_EQ(rotation.source, "rotation");
  EXPECT_NEAR(rotation.accuracy[23], run.accuracy[0][0], 0.02) << "but for rounding";
}

TEST(ZeroShotOptions, AreRefusedWhereThereIsNothingToTransfer) {
  EXPECT_THROW(validate(ZeroShotOptions{tiny_spec("reservoir"), 0, 5}), UsageError);
  EXPECT_THROW(validate(ZeroShotOptions{tiny_spec("reservoir"), 4, 5}), UsageError);
  EXPECT_THROW(validate(ZeroShotOptions{tiny_spec("reservoir"), 2, 0}), UsageError);
  EXPECT_THROW(validate(ZeroShotOptions{testing::tiny_spec_without_memory("joint"), 2, 5}),
               UsageError);
}

}  // namespace zero_shot_test
}  // namespace gps
