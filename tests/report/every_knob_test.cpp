// Whatever shows a decision shows every knob of its plan, as plan_knobs() lists them.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "deployment/weeks.h"
#include "gps/experiments/export/tensorboard.h"
#include "gps/report/learning/history.h"
#include "gps/report/learning/learnt.h"
#include "gps/report/page/page.h"
#include "gps/report/page/page_details.h"
#include "gps/report/picture.h"
#include "gps/report/pieces.h"
#include "report/tiny_report.h"
#include "support/event_reader.h"
#include "support/temporary_folder.h"
#include "support/tiny_sets.h"

namespace gps {
namespace every_knob_test {

using nlohmann::json;
using ::testing::HasSubstr;

// Knob k is 40 + k, and one more in what was only tried.
Plan numbered(std::size_t first) {
  Plan plan;
  for (const PlanKnob& knob : plan_knobs()) plan.*knob.value = first++;
  return plan;
}

RunResult result_with_a_search() {
  RunResult result = testing::tiny_result("gps", 0, 0.6, 0.8);
  result.decisions = {
      {1, numbered(40), 80, {{numbered(41), {0.5, 0.75}}, {numbered(40), {0.4, 0.8}}}}};
  return result;
}

TEST(EveryKnob, IsInTheResultOfARun) {
  const json decision = to_json(result_with_a_search()).at("switching_points").at(0);
  for (const PlanKnob& knob : plan_knobs()) {
    EXPECT_EQ(decision.at(knob.key), numbered(40).*knob.value);
    EXPECT_EQ(decision.at("probes").at(0).at(knob.key), numbered(41).*knob.value);
  }
}

TEST(EveryKnob, HasACurveInTensorboard) {
  const testing::TemporaryFolder folder;
  const RunResult result = result_with_a_search();
  TensorboardRun(folder.path(), result.spec, result.seed, 1).end(result, 2);
  const auto events = testing::events_of(
      testing::read_file(tensorboard_file(folder.path(), result.spec, result.seed)));
  for (const PlanKnob& knob : plan_knobs()) {
    EXPECT_EQ(testing::curve(events, std::string("memory/") + knob.key).at(1),
              static_cast<double>(numbered(40).*knob.value));
  }
}

TEST(EveryKnob, IsInTheDataOfTheReportsPage) {
  const json decision =
      details_json(testing::reported(1, result_with_a_search())).at("decisions").at(0);
  const json overview = overview_json(testing::tiny_report());
  ASSERT_EQ(overview.at("knobs").size(), plan_knobs().size());
  for (std::size_t k = 0; k < plan_knobs().size(); ++k) {
    const PlanKnob& knob = plan_knobs()[k];
    EXPECT_EQ(overview.at("knobs").at(k).at("name"), knob.name);
    EXPECT_EQ(decision.at("plan").at(k), numbered(40).*knob.value);
    EXPECT_EQ(decision.at("probes").at(0).at(0).at(k), numbered(41).*knob.value);
  }
  for (const json& line : overview.at("settings").at(0).at("lines"))
    EXPECT_EQ(line.at("shares").size(), plan_knobs().size());
}

TEST(EveryKnob, IsAColumnOfWhatWasTried) {
  for (const Piece& piece : pieces_of(testing::tiny_report(), "csv")) {
    if (!piece.name.ends_with("probes.csv")) continue;
    for (const PlanKnob& knob : plan_knobs()) EXPECT_THAT(piece.text, HasSubstr(knob.key));
  }
}

TEST(EveryKnob, IsInWhatPeopleRead) {
  const std::string picture = switching_points_picture(result_with_a_search());
  Executor executor(1);
  LearnState state(testing::tiny_options("er", "gps"));
  const LearnReport report = learn(state, testing::week(1), executor);
  for (const PlanKnob& knob : plan_knobs()) {
    EXPECT_THAT(picture, HasSubstr(knob.name));
    EXPECT_THAT(learnt_text(report, state), HasSubstr(knob.meaning));
    EXPECT_THAT(history_text(state), HasSubstr(knob.meaning));
    EXPECT_TRUE(to_json(report, state).at("decision").contains(knob.name));
  }
}

}  // namespace every_knob_test
}  // namespace gps
