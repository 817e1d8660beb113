#include "gps/report/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gps/core/text/text.h"

namespace gps {
namespace comparison_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Two tasks: the first learnt to 0.9 and down to `first` in the end, the second `second`.
RunResult result_of(const std::string& policy, std::uint64_t seed, double first, double second) {
  RunResult result;
  if (policy == "sgd" || policy == "joint") {
    result.spec.learner.name = policy;
    result.spec.policy.name = "none";
  } else {
    set_policy(result.spec.policy, policy);
  }
  result.seed = seed;
  result.accuracy = {{0.9, 0.1}, {first, second}};
  result.metrics = compute_metrics(result.accuracy, {0.1, 0.1});
  result.seconds = {1, 2, 3};
  return result;
}

// The cells of each line; columns are at least three blanks apart, cells have single blanks inside.
std::vector<std::vector<std::string>> cells_of(const std::string& table) {
  std::vector<std::vector<std::string>> lines;
  for (const std::string& line : split(table, '\n')) {
    std::vector<std::string> cells;
    std::size_t at = 0;
    while (at < line.size()) {
      const std::size_t end = std::min(line.find("   ", at), line.size());
      cells.push_back(line.substr(at, end - at));
      at = std::min(line.find_first_not_of(' ', end), line.size());
    }
    if (!cells.empty()) lines.push_back(cells);
  }
  return lines;
}

TEST(ComparisonTable, HasOneLineAPolicyInTheOrderOfTheirFirstResults) {
  const auto lines = cells_of(comparison_table({
      result_of("ring-full", 0, 0.6, 0.8),
      result_of("reservoir", 0, 0.5, 0.8),
      result_of("ring-full", 1, 0.6, 0.8),
      result_of("reservoir", 1, 0.5, 0.8),
  }));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1].front(), "ring-full");
  EXPECT_EQ(lines[2].front(), "reservoir");
}

TEST(ComparisonTable, GivesMeansDeviationsAndThePairedDifferenceToTheFirst) {
  // Average accuracies in percent: reservoir 60, 62, 64; mixed 61, 64, 67. Differences 1, 2, 3 have
  // mean 2 and deviation 1, so the half width is 4.3027/sqrt(3) = 2.484. The first task falls from
  // 90 to 40, 44 and 48, or to 42, 48 and 54.
  const auto lines = cells_of(comparison_table({
      result_of("reservoir", 0, 0.40, 0.8),
      result_of("mixed:0.5", 0, 0.42, 0.8),
      result_of("reservoir", 1, 0.44, 0.8),
      result_of("mixed:0.5", 1, 0.48, 0.8),
      result_of("reservoir", 2, 0.48, 0.8),
      result_of("mixed:0.5", 2, 0.54, 0.8),
  }));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], ElementsAre("policy", "accuracy %", "vs reservoir", "learning",
                                    "forgetting", "time a run"));
  EXPECT_THAT(lines[1],
              ElementsAre("reservoir", "62.00 ± 2.00", "85.00 ± 0.00", "46.00 ± 4.00", "6.0 s"));
  EXPECT_THAT(lines[2], ElementsAre("mixed:0.5", "64.00 ± 3.00", "+2.00 [-0.48, +4.48]",
                                    "85.00 ± 0.00", "42.00 ± 6.00", "6.0 s"));
}

TEST(ComparisonTable, ComparesEveryOtherPolicyWithTheFirst) {
  const auto lines = cells_of(comparison_table({
      result_of("reservoir", 0, 0.5, 0.8),
      result_of("hybrid", 0, 0.6, 0.8),
      result_of("gps", 0, 0.4, 0.8),
  }));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[2][2], "+5.00");
  EXPECT_EQ(lines[3][2], "-5.00");
}

TEST(ComparisonTable, ASingleSeedHasNeitherDeviationNorInterval) {
  const std::string table =
      comparison_table({result_of("reservoir", 3, 0.5, 0.7), result_of("hybrid", 3, 0.6, 0.7)});
  EXPECT_THAT(table, HasSubstr("+5.00"));
  EXPECT_THAT(table, Not(HasSubstr("±")));
  EXPECT_THAT(table, Not(HasSubstr("[")));
  EXPECT_THAT(table, Not(HasSubstr("nan")));
}

TEST(ComparisonTable, ASinglePolicyIsComparedWithNothing) {
  const std::string table = comparison_table({result_of("reservoir", 0, 0.5, 0.7)});
  EXPECT_THAT(table, Not(HasSubstr("vs ")));
  EXPECT_EQ(cells_of(table).size(), 2u);
}

TEST(ComparisonTable, ComparesOverTheSeedsThatBothHave) {
  const auto lines = cells_of(comparison_table({
      result_of("reservoir", 0, 0.5, 0.8),
      result_of("hybrid", 0, 0.6, 0.8),
      result_of("reservoir", 1, 0.1, 0.1),  // an early end: each lacks a seed of the other
      result_of("hybrid", 2, 0.9, 0.9),
  }));
  EXPECT_EQ(lines[2][2], "+5.00");
}

TEST(ComparisonTable, PoliciesWithoutACommonSeedHaveNoDifference) {
  const auto lines = cells_of(
      comparison_table({result_of("reservoir", 0, 0.5, 0.8), result_of("hybrid", 1, 0.6, 0.8)}));
  EXPECT_EQ(lines[2][2], "-");
}

TEST(ComparisonTable, NamesTheLearnerWhereThereIsNoPolicy) {
  const std::string table = comparison_table({result_of("sgd", 0, 0.5, 0.8)});
  EXPECT_THAT(table, StartsWith("learner"));
  EXPECT_THAT(table, HasSubstr("\nsgd "));
}

TEST(ComparisonTable, CallsAPlannedRunAPlanBesideOthers) {
  RunResult plan = result_of("reservoir", 0, 0.6, 0.8);
  plan.spec.planning.knobs = "all";
  const auto lines = cells_of(comparison_table({result_of("reservoir", 0, 0.5, 0.8), plan}));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0][0], "policy");
  EXPECT_EQ(lines[1][0], "reservoir");
  EXPECT_EQ(lines[2][0], "plan");
  EXPECT_EQ(lines[2][2], "+5.00");
}

TEST(ComparisonTable, DoesNotCountALearnerThatWasPlanned) {
  RunResult plan = result_of("reservoir", 0, 0.6, 0.8);
  plan.spec.planning.knobs = "all";
  plan.spec.learner.name = "der";  // where the planner started
  const auto one = cells_of(comparison_table({plan, result_of("reservoir", 0, 0.5, 0.8)}));
  EXPECT_EQ(one[0][0], "policy");
  EXPECT_EQ(one[2][0], "reservoir");
  const auto two = cells_of(
      comparison_table({plan, result_of("reservoir", 0, 0.5, 0.8), result_of("sgd", 0, 0.2, 0.8)}));
  EXPECT_EQ(two[0][0], "learner");
  EXPECT_EQ(two[1][0], "plan");
  EXPECT_EQ(two[2][0], "er reservoir");
}

TEST(ComparisonTable, MetricsWithoutAValueAreADash) {
  RunResult joint = result_of("joint", 0, 0.5, 0.7);
  joint.accuracy = {{0.5, 0.7}};
  joint.metrics = compute_metrics(joint.accuracy, {0.1, 0.1});
  const auto lines = cells_of(comparison_table({joint}));
  EXPECT_THAT(lines[1], ElementsAre("joint", "60.00", "-", "-", "6.0 s"));
}

TEST(ComparisonTable, SplitStreamsAreComparedAmongAllClasses) {
  std::vector<RunResult> results = {result_of("reservoir", 0, 0.5, 0.7),
                                    result_of("gps", 0, 0.6, 0.7)};
  EXPECT_THAT(comparison_table(results), Not(HasSubstr("classes")));
  double kept = 0.35;  // of the first task: gps has less here, and more among its own classes
  for (RunResult& result : results) {
    const AccuracyMatrix accuracy = {{0.9, 0}, {kept, 0.5}};
    result.class_incremental = {accuracy, {0.1, 0.1}, compute_metrics(accuracy, {0.1, 0.1})};
    kept -= 0.1;
  }
  const std::string table = comparison_table(results);
  const auto lines = cells_of(table);
  EXPECT_THAT(lines[0], ElementsAre("policy", "all classes %", "vs reservoir", "own classes %",
                                    "learning", "forgetting", "time a run"));
  EXPECT_THAT(lines[2],
              ElementsAre("gps:permutation", "37.50", "-5.00", "65.00", "70.00", "65.00", "6.0 s"));
  EXPECT_THAT(table, HasSubstr("\naccuracies, differences and forgetting are among all classes"));
  const nlohmann::json json = compare_as_json(results, {"a", "b"});
  EXPECT_NEAR(json[1].at("difference").at("mean"), 0.05, 1e-12) << "as in the results";
  EXPECT_NEAR(json[1].at("class_incremental_difference").at("mean"), -0.05, 1e-12);
  EXPECT_NEAR(json[1].at("average_accuracy").at("mean"), 0.65, 1e-12);
}

TEST(ComparisonTable, ColumnsLineUpWhateverTheirCharactersTake) {
  const std::string table = comparison_table({
      result_of("reservoir", 0, 0.40, 0.8),
      result_of("mixed:0.5", 0, 0.42, 0.8),
      result_of("reservoir", 1, 0.44, 0.8),
      result_of("mixed:0.5", 1, 0.48, 0.8),
  });
  // In UTF-8, ± is two bytes but one column: count the bytes that start a character.
  const auto columns_before = [](const std::string& text, const std::string& mark) {
    const std::string before = text.substr(0, text.find(mark));
    return std::count_if(before.begin(), before.end(),
                         [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; });
  };
  const auto lines = split(table, '\n');
  const auto expected = columns_before(lines[0], "time a run");
  EXPECT_EQ(columns_before(lines[1], "6.0 s"), expected);
  EXPECT_EQ(columns_before(lines[2], "6.0 s"), expected);
}

TEST(Compare, ShowsDifferencesToTheBaselineOrToTheFirstIfNoneIsNamed) {
  const std::vector<RunResult> results = {result_of("reservoir", 0, 0.5, 0.8),
                                          result_of("hybrid", 0, 0.6, 0.8)};
  for (const std::string baseline : {"", "a"}) {
    const Table table = compare(results, {"a", "b"}, /*with_seeds=*/false, baseline);
    EXPECT_EQ(table.columns[2].head(), "vs a");
    const nlohmann::json json = compare_as_json(results, {"a", "b"}, baseline);
    EXPECT_TRUE(json[0].at("difference").is_null());
    EXPECT_FALSE(json[1].at("difference").is_null());
  }
  EXPECT_EQ(compare(results, {"a", "b"}, /*with_seeds=*/false, "b").columns[2].head(), "vs b");
  const nlohmann::json json = compare_as_json(results, {"a", "b"}, "b");
  EXPECT_TRUE(json[1].at("difference").is_null());
  EXPECT_LT(json[0].at("difference").at("mean").get<double>(), 0);
}

TEST(Compare, ShowsNoDifferencesIfTheBaselineIsNotThere) {
  const std::vector<RunResult> results = {result_of("reservoir", 0, 0.5, 0.8),
                                          result_of("hybrid", 0, 0.6, 0.8)};
  const Table table = compare(results, {"a", "b"}, /*with_seeds=*/false, "c");
  for (const Column& column : table.columns) EXPECT_EQ(column.name.find("vs "), std::string::npos);
  EXPECT_EQ(table.rows[0].size(), table.columns.size());
  const nlohmann::json json = compare_as_json(results, {"a", "b"}, "c");
  for (const auto& line : json) EXPECT_TRUE(line.at("difference").is_null());
}

RunResult collapsed(RunResult result) {
  result.has_collapsed = true;
  return result;
}

TEST(ComparisonTable, MarksADeadNetworkAndComparesItWithNothing) {
  const std::string table = comparison_table({
      result_of("reservoir", 0, 0.4, 0.8),
      result_of("hybrid", 0, 0.5, 0.8),
      collapsed(result_of("gps", 0, 0.1, 0.1)),
      result_of("reservoir", 1, 0.4, 0.8),
      result_of("hybrid", 1, 0.5, 0.8),
      result_of("gps", 1, 0.6, 0.8),
  });
  const auto lines = cells_of(table);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[1][0], "reservoir");
  EXPECT_THAT(lines[2][2], StartsWith("+5.00"));
  EXPECT_EQ(lines[3][0], "gps:permutation !");
  EXPECT_EQ(lines[3][2], "-") << "not even over the seed that lives";
  EXPECT_THAT(table, HasSubstr("\n! 1 of 6 runs collapsed: their networks are dead"));
}

TEST(ComparisonTable, ComparesNothingWithADeadNetwork) {
  const std::vector<RunResult> results = {collapsed(result_of("reservoir", 0, 0.1, 0.1)),
                                          result_of("hybrid", 0, 0.5, 0.8)};
  const auto lines = cells_of(comparison_table(results));
  EXPECT_EQ(lines[1][0], "reservoir !");
  EXPECT_EQ(lines[2][0], "hybrid");
  EXPECT_EQ(lines[2][2], "-");
  const nlohmann::json json = compare_as_json(results, {"a", "b"});
  EXPECT_EQ(json[0].at("collapsed"), nlohmann::json::array({0}));
  EXPECT_FALSE(json[1].contains("collapsed"));
  EXPECT_TRUE(json[1].at("difference").is_null());
}

TEST(ComparisonTable, HasNoWordOfDeadNetworksWhereThereAreNone) {
  EXPECT_EQ(collapsed_note({result_of("reservoir", 0, 0.5, 0.8)}), "");
}

TEST(Compare, HasEveryMetricThatNamesAColumn) {
  const std::vector<RunResult> results = {result_of("reservoir", 0, 0.5, 0.8),
                                          result_of("hybrid", 0, 0.6, 0.8)};
  const Table table = compare(results, {"a", "b"}, /*with_seeds=*/true);
  const nlohmann::json json = compare_as_json(results, {"a", "b"});
  for (const Metric& metric : metric_catalog()) {
    const bool is_compared = !metric.column.empty();
    EXPECT_EQ(json[0].contains(metric.name), is_compared) << metric.name;
    if (!is_compared) continue;
    EXPECT_THAT(heads_of(table), Contains(metric.column));
    EXPECT_EQ(json[1].at(metric.name).at("mean"), results[1].metrics[metric.name].value());
  }
}

}  // namespace comparison_test
}  // namespace gps
