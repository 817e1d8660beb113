#include "gps/report/planned.h"

#include <gmock/gmock.h>

#include "report/tiny_report.h"

namespace gps {
namespace planned_test {

using ::testing::ElementsAre;
using testing::tiny_planned_result;
using testing::tiny_result;

std::vector<std::vector<std::string>> rows_of(const Table& table) {
  std::vector<std::vector<std::string>> rows;
  for (const Row& row : table.rows) rows.push_back(texts_of(row));
  return rows;
}

// Before task 1 nothing is tried, before task 2 three candidates, nothing is predicted.
RunResult result_of_two_choices() {
  RunResult result = tiny_planned_result(0, 0.6, 0.8);
  RecipeChoice first;
  first.recipe = result.plan.choices[0].recipe;
  RecipeChoice second = result.plan.choices[0];
  second.task = 2;
  second.expected.reset();
  result.plan.choices = {first, second};
  return result;
}

TEST(PredictionText, HasTheIntervalAndWhatWasReached) {
  EXPECT_EQ(prediction_text(tiny_planned_result(0, 0.6, 0.8)),
            "expected 60.0 to 80.0 %, reached 70.0 %");
  EXPECT_EQ(prediction_text(result_of_two_choices()), "nothing was predicted, reached 70.0 %");
  EXPECT_EQ(prediction_text(tiny_result("reservoir", 0, 0.6, 0.8)), "");
}

TEST(PlanTable, HasWhatWasExpectedBesideWhatWasReached) {
  const Table table = plan_table(tiny_planned_result(0, 0.61, 0.8));
  EXPECT_THAT(heads_of(table), ElementsAre("tasks", "expected %", "reached %", "tried",
                                           "stopped early", "steps of planning", "chosen"));
  EXPECT_THAT(rows_of(table),
              ElementsAre(ElementsAre("1 to 2", "72.5 [60.0, 80.0]", "70.5", "4", "1", "1234",
                                      label_of(testing::tiny_recipe(0.03)))));
  EXPECT_EQ(table.rows[0][1].form(), Cell::Form::interval) << "so that CSV has three columns";
}

TEST(PlanTable, HasOneRowForEachChoiceWithTheTasksThatItHoldsFor) {
  RunResult result = result_of_two_choices();
  result.spec.benchmark.tasks = 5;
  const Table table = plan_table(result);
  EXPECT_THAT(heads_of(table),
              ElementsAre("tasks", "tried", "stopped early", "steps of planning", "chosen"));
  const std::string chosen = label_of(testing::tiny_recipe(0.03));
  EXPECT_THAT(rows_of(table), ElementsAre(ElementsAre("1", "0", "0", "0", chosen),
                                          ElementsAre("2 to 5", "4", "1", "1234", chosen)));
}

TEST(PlanTable, OfARunWithoutAPlanHasNoRows) {
  const RunResult result = tiny_result("reservoir", 0, 0.6, 0.8);
  EXPECT_TRUE(plan_table(result).is_empty());
  EXPECT_TRUE(candidates_table(result.plan, 5).is_empty());
}

TEST(CandidatesTable, HasTheBestOfThoseThatWereTriedToTheEnd) {
  const Table table = candidates_table(tiny_planned_result(0, 0.6, 0.8).plan, 5);
  EXPECT_THAT(heads_of(table), ElementsAre("accuracy %", "candidate", "chosen"));
  EXPECT_THAT(rows_of(table),
              ElementsAre(ElementsAre("74.0", label_of(testing::tiny_recipe(0.1)), ""),
                          ElementsAre("73.0", label_of(testing::tiny_recipe(0.03)), "yes"),
                          ElementsAre("50.0", label_of(testing::tiny_recipe(0.01)), "")));
}

TEST(CandidatesTable, AlwaysHasTheChosenOne) {
  const Table table = candidates_table(tiny_planned_result(0, 0.6, 0.8).plan, 1);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0][0].text(), "74.0");
  EXPECT_EQ(table.rows[1][2].text(), "yes");
}

TEST(CandidatesTable, NamesTheTaskIfThereAreSeveralChoices) {
  const Table table = candidates_table(result_of_two_choices().plan, 2);
  EXPECT_EQ(heads_of(table).front(), "before task");
  ASSERT_EQ(table.rows.size(), 2u);
  for (const Row& row : table.rows) EXPECT_EQ(row[0].text(), "2");
}

}  // namespace planned_test
}  // namespace gps
