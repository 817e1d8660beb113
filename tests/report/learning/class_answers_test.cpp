#include "gps/report/learning/class_answers.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace gps {
namespace class_answers_test {

using ::testing::HasSubstr;

TEST(ClassAnswers, ShowsWhatIsAnsweredInstead) {
  Confusion confusion(3, 3);
  confusion.add(0, 0, 7);
  confusion.add(0, 1, 1);
  confusion.add(0, 2, 2);
  confusion.add(2, 2, 5);
  const std::vector<std::string> names = {"cat", "dog", "fox"};
  const std::string text = per_class_text(confusion, names);
  EXPECT_THAT(text, ::testing::ContainsRegex("cat +10 +70.0 .*'fox' 2, 'dog' 1"));
  EXPECT_THAT(text, ::testing::ContainsRegex("fox +5 +100.0 "));
  EXPECT_THAT(text, ::testing::Not(::testing::ContainsRegex("\ndog"))) << "has no images";
  EXPECT_EQ(per_class_as_json(confusion, names),
            (nlohmann::json{{{"class", "cat"}, {"images", 10}, {"accuracy", 0.7}},
                            {{"class", "fox"}, {"images", 5}, {"accuracy", 1.0}}}));
  EXPECT_EQ(confusion_as_json(confusion, names),
            (nlohmann::json{{"cat", {{"cat", 7}, {"dog", 1}, {"fox", 2}}}, {"fox", {{"fox", 5}}}}));
}

TEST(ClassAnswers, ShowsTheWorstOfManyClasses) {
  Confusion confusion(30, 30);
  std::vector<std::string> names;
  for (Label label = 0; label < 30; ++label) {
    names.push_back("class " + std::to_string(label));
    confusion.add(label, label, 30u - label);
    confusion.add(label, (label + 1u) % 30, label);
  }
  const std::string text = per_class_text(confusion, names);
  EXPECT_THAT(text, HasSubstr("class 29"));
  EXPECT_THAT(text, HasSubstr("class 10 "));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("\nclass 9 ")));
  EXPECT_THAT(text, HasSubstr("the 20 worst of 30 classes; the JSON has all\n"));
}

}  // namespace class_answers_test
}  // namespace gps
