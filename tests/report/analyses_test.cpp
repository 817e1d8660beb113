#include <gmock/gmock.h>

#include <cmath>

#include "gps/report/charts/analysis_charts.h"
#include "gps/report/pieces.h"
#include "gps/report/tables/analysis_tables.h"
#include "report/tiny_report.h"

namespace gps {
namespace analyses_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::recorded;
using testing::tiny_analyses;
using testing::tiny_curve;
using testing::tiny_report;
using testing::tiny_result;
using testing::tiny_ring_size;

std::vector<std::string> titles_of(const std::vector<AnalysisChart>& charts) {
  std::vector<std::string> titles;
  for (const AnalysisChart& chart : charts) titles.push_back(chart.kind + ": " + chart.title);
  return titles;
}

using Texts = std::vector<std::vector<std::string>>;

Texts rows_of(const std::vector<AnalysisTable>& tables, const std::string& name) {
  Texts rows;
  for (const AnalysisTable& table : tables) {
    if (table.name != name) continue;
    for (const Row& row : table.table.rows) rows.push_back(texts_of(row));
  }
  return rows;
}

TEST(AnalysisCharts, AreOneForEachKindAndSettingWithALineForEachKindOfTasks) {
  const std::vector<AnalysisChart> charts = analysis_charts(tiny_analyses());
  EXPECT_THAT(
      titles_of(charts),
      ElementsAre("ring-size: p-mnist, 3 tasks, memory 20, task 1",
                  "forgetting: p-mnist, 3 tasks, memory 20, task 1, ring part 0.5 of its share",
                  "difficulty: p-mnist, 3 tasks, task 1",
                  "zero-shot: p-mnist, 3 tasks, memory 20, after task 1"));
  ASSERT_EQ(charts[0].lines.size(), 2u);
  EXPECT_EQ(charts[0].lines[0].label, "offline") << "real tasks first";
  EXPECT_EQ(charts[0].lines[1].label, "permutation");
  EXPECT_EQ(charts[0].x_title, "ring size of task 1, of 20");
}

TEST(AnalysisCharts, RingSizesHaveTheScoresAfterTheWholeFutureOfEachSeed) {
  const AnalysisChart chart = analysis_charts(tiny_analyses())[0];
  const AnalysisLine& real = chart.lines[0];
  ASSERT_EQ(real.points.size(), 3u);
  EXPECT_EQ(real.points[1].x, 10);
  ASSERT_EQ(chart.measures.size(), 6u);
  EXPECT_THAT(real.points[1].values[0], ElementsAre(1.5, 0.5)) << "test loss, by seed";
  EXPECT_THAT(real.points[1].values[1], ElementsAre(0.625, 0.875)) << "test accuracy";
  EXPECT_THAT(real.points[1].values[2], ElementsAre(3, 1)) << "held back";
  EXPECT_THAT(real.points[1].values[4], ElementsAre(4.5, 1.5)) << "over all tasks";
  EXPECT_TRUE(chart.lines[1].points[1].values[4].empty()) << "which pseudo-tasks do not have";
  // Mean 1, deviation sqrt(0.25 + 0.25).
  EXPECT_EQ(texts_of(shown(table_of(chart, /*with_seeds=*/true)).rows[1]),
            (std::vector<std::string>{"offline", "10", "2", "1.0000 ± 0.7071", "75.00 ± 17.68",
                                      "2.0000 ± 1.4142", "50.00 ± 0.00", "3.0000 ± 2.1213",
                                      "25.00 ± 0.00"}));
}

TEST(AnalysisCharts, ForgettingIsThePathAtHalfOfTheShare) {
  const AnalysisChart chart = analysis_charts(tiny_analyses())[1];
  const AnalysisLine& real = chart.lines[0];
  ASSERT_EQ(real.points.size(), 3u) << "after 0, 1 and 2 later tasks";
  EXPECT_THAT(real.points[0].values[0], ElementsAre(0.375, 0.125));
  EXPECT_THAT(real.points[2].values[0], ElementsAre(1.5, 0.5));
  EXPECT_THAT(chart.lines[1].points[2].values[0], ElementsAre(1.5));
}

TEST(AnalysisCharts, APartThatWasRecordedAloneIsFollowedTooAndIsNoCurve) {
  std::vector<ReportedAnalysis> analyses = tiny_analyses();
  const RingSizeOptions quarter = tiny_ring_size("offline", {0.25});
  const RingSizeOptions half = tiny_ring_size("offline", {0.5});
  analyses.push_back(recorded(quarter, 0, tiny_curve(quarter, {4})));
  analyses.push_back(recorded(half, 1, tiny_curve(half, {9})));  // is known
  analyses.push_back(recorded(half, 2, tiny_curve(half, {1})));
  const std::vector<AnalysisChart> charts = analysis_charts(analyses);
  EXPECT_EQ(charts[0].lines[0].points.size(), 3u);
  EXPECT_THAT(charts[1].title, HasSubstr("ring part 0.25"));
  EXPECT_THAT(charts[1].lines[0].points[2].values[0], ElementsAre(4));
  EXPECT_THAT(charts[2].title, HasSubstr("ring part 0.5"));
  EXPECT_THAT(charts[2].lines[0].points[2].values[0], ElementsAre(1.5, 0.5, 1));
}

TEST(AnalysisCharts, TitlesTellSettingsApartByWhatDiffers) {
  std::vector<ReportedAnalysis> analyses = tiny_analyses();
  RingSizeOptions other = tiny_ring_size("offline", {0, 0.5, 1});
  other.spec.training.epochs = 7;
  other.epochs = 2;
  analyses.push_back(recorded(other, 0, tiny_curve(other, {1, 2, 3})));
  other = tiny_ring_size("offline", {0, 0.5, 1});
  other.task = 2;
  analyses.push_back(recorded(other, 0, tiny_curve(other, {1, 2, 3})));
  const std::vector<AnalysisChart> charts = analysis_charts(analyses);
  EXPECT_EQ(charts[0].title, "p-mnist, 3 tasks, memory 20, task 1, epochs 5");
  EXPECT_EQ(charts[1].title, "p-mnist, 3 tasks, memory 20, task 1, epochs 7");
  EXPECT_EQ(charts[2].title, "p-mnist, 3 tasks, memory 20, task 2");
}

TEST(AnalysisCharts, CurvesOfOtherRingSizesAreLinesOfTheirOwn) {
  std::vector<ReportedAnalysis> analyses = tiny_analyses();
  const RingSizeOptions ends = tiny_ring_size("offline", {0, 1});
  analyses.push_back(recorded(ends, 0, tiny_curve(ends, {0.5, 1})));
  const AnalysisChart chart = analysis_charts(analyses)[0];
  ASSERT_EQ(chart.lines.size(), 3u);
  EXPECT_EQ(chart.lines[0].label, "offline, ratios 0 0.5 1");
  EXPECT_EQ(chart.lines[1].label, "offline, ratios 0 1");
}

TEST(AnalysisCharts, DifficultyAndTransferAreTaskByTask) {
  const std::vector<AnalysisChart> charts = analysis_charts(tiny_analyses());
  EXPECT_EQ(charts[2].lines[0].label, "real");
  EXPECT_THAT(charts[2].lines[0].points[0].values[0], ElementsAre(0.9, 0.7));
  EXPECT_EQ(charts[2].lines[1].label, "blurring");
  EXPECT_THAT(charts[2].lines[1].points[1].values[1], ElementsAre(2)) << "loss";
  EXPECT_EQ(charts[3].lines[1].label, "rotation");
  EXPECT_EQ(charts[3].lines[1].points[0].x, 2) << "the first task after task 1";
  EXPECT_THAT(charts[3].lines[1].points[0].values[0], ElementsAre(0.5));
  EXPECT_EQ(charts[3].chance, 10.0);
}

TEST(AnalysisTables, CountCurvesWithOneMinimum) {
  const Texts table = rows_of(analysis_tables(tiny_analyses(), {}), "one-minimum");
  ASSERT_EQ(table.size(), 2u);
  // 1.5 0.5 2 has one, 0.5 1.5 1 has two.
  EXPECT_EQ(table[0][1], "offline");
  EXPECT_EQ(table[0][3], "1 of 2");
  EXPECT_EQ(table[1][3], "1 of 1");
  EXPECT_EQ(table[1][4], "-") << "one seed shows no noise";
}

TEST(AnalysisTables, HaveTheVarianceOfDifficulty) {
  const Texts table = rows_of(analysis_tables(tiny_analyses(), {}), "difficulty-variance");
  ASSERT_EQ(table.size(), 2u);
  // Of 90 and 80, and of 70 and 80: 25 each. Of 60 and 40: 100.
  EXPECT_EQ(table[0], (std::vector<std::string>{"p-mnist, 3 tasks, task 1", "real", "2", "2",
                                                "25.00 ± 0.00"}));
  EXPECT_EQ(table[1],
            (std::vector<std::string>{"p-mnist, 3 tasks, task 1", "blurring", "2", "1", "100.00"}));
}

TEST(AnalysisTables, CompareRatiosWithTheOracleOfTheSameSeed) {
  Report report = tiny_report();
  for (const std::uint64_t seed : {0u, 1u}) {
    RunResult oracle = tiny_result("gps:offline", seed, 0.6, 0.8);
    oracle.decisions = {{1, {seed == 0 ? 2u : 8u}, 8, {}}, {2, {2}, 4, {}}};
    report.runs.push_back(testing::reported(10 + static_cast<std::int64_t>(seed), oracle));
  }
  const std::vector<AnalysisTable> tables = analysis_tables({}, settings_of(report));
  // |1/2 - 1/4| and |1/2 - 1|: mean 0.375, deviation sqrt(2)/8. The last task does not count.
  EXPECT_EQ(rows_of(tables, "ratio-distance")[0],
            (std::vector<std::string>{"p-mnist, 2 tasks, memory 8", "er gps:permutation", "2",
                                      "0.375 ± 0.177"}));
  const Texts times = rows_of(tables, "time");
  ASSERT_EQ(times.size(), 2u) << "what simulates nothing has no row";
  EXPECT_EQ(times[0][5], "2.000 ± 0.000");
}

TEST(AnalysisTables, AreNotThereWithoutRows) {
  EXPECT_TRUE(analysis_tables({}, {}).empty());
  EXPECT_TRUE(analysis_charts({}).empty());
}

TEST(ReportedAnalysis, NamesARecordThatCannotBeRead) {
  StoredAnalysis broken;
  broken.id = 7;
  broken.kind = "ring-size";
  const std::string options = to_json(tiny_ring_size("offline", {0, 1})).dump();
  for (const auto& [text, result] :
       {std::pair<std::string, std::string>{"{", "{}"},
        {options, R"({"quota": 20, "points": []})"},
        {options, "{}"},
        {R"({"spec": {"benchmark": "p-mnist", "learner": "er"}})", "{}"}}) {
    broken.options = text;
    broken.result = result;
    try {
      reported(broken);
      ADD_FAILURE() << text << " " << result;
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), HasSubstr("analysis 7 ('ring-size') cannot be read: "));
    }
  }
}

class AnalysisPieces : public ::testing::Test {
 protected:
  std::string piece(const std::string& format, const std::string& name) const {
    Report report;
    report.analyses = tiny_analyses();
    for (const Piece& each : pieces_of(report, format)) {
      if (each.name == name) return each.text;
    }
    ADD_FAILURE() << "there is no piece " << name;
    return "";
  }
  const std::string ring_size = "analysis-ring-size-1-p-mnist-3-tasks-memory-20-task-1";
};

TEST_F(AnalysisPieces, HaveOneNumberACellInCsv) {
  const std::string csv = piece("csv", ring_size + ".csv");
  EXPECT_THAT(csv,
              ::testing::StartsWith(
                  "future,ring size,test loss,test loss deviation,test loss seeds,test accuracy %,"
                  "test accuracy % deviation,test accuracy % seeds,"));
  EXPECT_THAT(csv, HasSubstr("\r\noffline,10,1,0.7071067811865476,2,75,17.67766952966369,2,"));
  EXPECT_THAT(csv, HasSubstr("\r\npermutation,20,1,,1,75,,1,"));
  EXPECT_THAT(piece("csv", "analysis-one-minimum.csv"),
              HasSubstr("one minimum,one minimum of,beyond noise,beyond noise of,chance if flat"));
}

TEST_F(AnalysisPieces, HaveMeansAndSeedsInOtherTables) {
  EXPECT_THAT(piece("md", ring_size + ".md"),
              HasSubstr("| offline | 10 | 2 | 1.0000 ± 0.7071 | 75.00 ± 17.68 |"));
  EXPECT_THAT(piece("latex", ring_size + ".tex"), HasSubstr("1.0000 $\\pm$ 0.7071"));
}

TEST_F(AnalysisPieces, AreDrawnWithBands) {
  const std::string svg = piece("svg", ring_size + "-test-loss.svg");
  EXPECT_THAT(svg, HasSubstr("ring size of task 1, of 20"));
  EXPECT_THAT(svg, HasSubstr("fill-opacity=\"0.15\""));
  EXPECT_THAT(svg, ::testing::Not(HasSubstr("nan")));
  piece("svg",
        "analysis-forgetting-1-p-mnist-3-tasks-memory-20-task-1-ring-part-0.5-of-its-share-test-"
        "loss.svg");
}

TEST_F(AnalysisPieces, ANetworkThatBrokeIsAGap) {
  const RingSizeOptions options = tiny_ring_size("offline", {0, 0.5, 1});
  Report report;
  report.analyses = {recorded(options, 0, tiny_curve(options, {1, INFINITY, 2}))};
  for (const std::string& format : piece_formats()) {
    for (const Piece& each : pieces_of(report, format))
      EXPECT_THAT(each.text, ::testing::Not(HasSubstr("nan"))) << each.name;
  }
}

}  // namespace analyses_test
}  // namespace gps
