#include "gps/report/learning/status.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "deployment/weeks.h"

namespace gps {
namespace status_test {

using ::testing::HasSubstr;

TEST(StatusText, ShowsHowWellTheStateDoesNow) {
  Executor executor(1);
  LearnState state(testing::tiny_options("er", "mixed:1"));
  for (int k = 1; k <= 2; ++k) learn(state, testing::week(k), executor);
  const StateTests tests{test_tasks(state), confusion_of_tests(state)};
  const std::string text = status_text(state, tests);
  EXPECT_THAT(text, ::testing::ContainsRegex("task 1 week1 +5 images +[0-9.]+ "));
  EXPECT_THAT(text, ::testing::ContainsRegex("all tasks +10 images"));
  EXPECT_THAT(text, ::testing::ContainsRegex("class 3 +[0-9]+ "));
  const nlohmann::json json = status_as_json(state, tests);
  EXPECT_EQ(json.at("scores").size(), 2u);
  EXPECT_EQ(json.at("scores")[1].at("among_all"), tests.scores[1].now.among_all);
  EXPECT_EQ(json.at("per_class").size(), 4u);
  EXPECT_EQ(json.at("memory").at("classes_without_images"), nlohmann::json::array());
}

}  // namespace status_test
}  // namespace gps
