#include "gps/report/picture.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gps/core/text/text.h"

namespace gps {
namespace picture_test {

using ::testing::HasSubstr;

// A bar is 24 characters wide.
std::string bar(std::size_t hashes, std::size_t dots) {
  return fmt::format("|{:#<{}}{:.<{}}{:<{}}|", "", hashes, "", dots, "", 24 - hashes - dots);
}

std::vector<std::string> lines_of(const std::string& picture) {
  std::vector<std::string> lines = split(picture, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

TEST(SwitchingPointsPicture, ShowsTheRingPartOfEachTask) {
  RunResult result;
  result.decisions = {{1, {250}, 1000, {}}, {2, {500}, 500, {}}, {3, {0}, 333, {}}};
  const auto lines = lines_of(switching_points_picture(result));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], "  task  1  " + bar(6, 18) + "  ring  250 of 1000 ( 25 %)");
  EXPECT_EQ(lines[1], "  task  2  " + bar(24, 0) + "  ring  500 of  500 (100 %)");
  EXPECT_EQ(lines[2], "  task  3  " + bar(0, 24) + "  ring    0 of  333 (  0 %)");
}

TEST(SwitchingPointsPicture, ListsWhatWasTriedFromSmallToLarge) {
  RunResult result;
  result.decisions = {
      {1, {40}, 100, {{{50}, {0.5, 0.71}}, {{40}, {0.6, 0.725}}, {{60}, {0.4, 0.7}}}}};
  EXPECT_THAT(switching_points_picture(result), HasSubstr("tried 40:72.5 50:71.0 60:70.0\n"));
}

TEST(SwitchingPointsPicture, EscapesControlCharactersInNames) {
  RunResult result;
  result.decisions = {{1, {0}, 1, {}}};
  result.task_names = {"a\x1b[2J\nb"};
  EXPECT_THAT(switching_points_picture(result), HasSubstr("  a\\x1b[2J\\nb\n"));
}

TEST(SwitchingPointsPicture, AQuotaOfNothingIsAnEmptyBar) {
  RunResult result;
  result.decisions = {{5, {0}, 0, {}}};
  EXPECT_THAT(switching_points_picture(result), HasSubstr(bar(0, 0)));
}

TEST(SwitchingPointsPicture, IsEmptyForPoliciesThatChooseNothing) {
  EXPECT_EQ(switching_points_picture(RunResult()), "");
}

TEST(CompositionPicture, ShowsBothPartsOfEachTaskAgainstTheLargest) {
  RunResult result;
  result.memory = {{{1, {9, 9}, {9, 9}}},  // only what is left in the end is shown
                   {{1, {1, 1}, {4, 2}}, {2, {1, 1}, {2, 0}}}};
  const auto lines = lines_of(composition_picture(result));
  ASSERT_EQ(lines.size(), 2u);
  // Task 1 has 8 examples, 2 of them ring: 6 and 18 of 24. Task 2 has 4: half as long a bar.
  EXPECT_THAT(lines[0], HasSubstr("task  1  " + bar(6, 18) + "     8 examples"));
  EXPECT_THAT(lines[0], HasSubstr("3 to 5 each"));
  EXPECT_THAT(lines[1], HasSubstr("task  2  " + bar(6, 6) + "     4 examples"));
  EXPECT_THAT(lines[1], HasSubstr("1 to 3 each"));
}

TEST(CompositionPicture, ShowsHowTheClassesShareATask) {
  RunResult result;
  result.memory = {{{1, {1, 0, 0, 1}, {0, 0, 7, 6}}}};
  EXPECT_THAT(composition_picture(result), HasSubstr("classes ▂_██  0 to 7 each"));
}

TEST(CompositionPicture, ShowsTheClassesOfTheTaskOnlyWhereTasksDivideThem) {
  RunResult result;
  result.labels = {{0, 1}, {2, 3}};
  result.memory = {{{1, {4, 4, 0, 0}, {0, 0, 0, 0}}, {2, {0, 0, 0, 7}, {0, 0, 0, 0}}}};
  const auto lines = lines_of(composition_picture(result));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], HasSubstr("classes ██  4 to 4 each"));
  EXPECT_THAT(lines[1], HasSubstr("classes _█  0 to 7 each"));
}

TEST(CompositionPicture, ATaskThatIsGoneIsAnEmptyBarAndGaps) {
  RunResult result;
  result.memory = {{{1, {0, 0}, {0, 0}}, {2, {2, 2}, {0, 0}}}};
  const auto lines = lines_of(composition_picture(result));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], HasSubstr(bar(0, 0) + "     0 examples   classes __  0 to 0 each"));
  EXPECT_THAT(lines[1], HasSubstr(bar(24, 0)));
}

TEST(CompositionPicture, ATaskWithoutClassesIsALineToo) {
  RunResult result;
  result.labels = {{0, 1}, {}};
  result.memory = {{{1, {2, 1}, {0, 0}}, {2, {0, 0}, {0, 0}}}};
  const auto lines = lines_of(composition_picture(result));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], HasSubstr("1 to 2 each"));
  EXPECT_THAT(lines[1], HasSubstr(bar(0, 0) + "     0 examples   no classes"));
}

TEST(MissingClasses, AreNamedIfNoTaskHasAnImageOfThem) {
  RunResult result;
  result.memory = {{{1, {1, 0, 0}, {0, 0, 0}}, {2, {0, 0, 0}, {0, 2, 0}}}};
  EXPECT_EQ(missing_classes_text(result), "no stored image of 1 of 3 classes: 2");
  result.class_names = {"cat", "dog", "e\x1bl"};
  EXPECT_EQ(missing_classes_text(result), "no stored image of 1 of 3 classes: e\\x1bl");
  result.labels = {{0}, {1}};
  EXPECT_EQ(missing_classes_text(result), "") << "no task had it";
  EXPECT_EQ(missing_classes_text(RunResult()), "");
}

TEST(CompositionPicture, IsEmptyWithoutAMemory) { EXPECT_EQ(composition_picture(RunResult()), ""); }

}  // namespace picture_test
}  // namespace gps
