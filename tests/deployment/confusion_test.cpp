#include "gps/deployment/confusion.h"

#include <gmock/gmock.h>

#include "deployment/weeks.h"

namespace gps {
namespace confusion_test {

using ::testing::ElementsAre;

std::vector<std::size_t> answers(const Confusion& confusion, Label label) {
  const std::span<const std::size_t> counts = confusion.answers(label);
  return {counts.begin(), counts.end()};
}

TEST(Confusion, CountsAnswersByLabel) {
  Confusion confusion(/*labels=*/3, /*answers=*/2);
  for (const auto& [label, answer] :
       std::vector<std::pair<Label, std::size_t>>{{0, 0}, {0, 0}, {0, 1}, {1, 1}, {2, 0}})
    confusion.add(label, answer);
  EXPECT_EQ(confusion.images(), 5u);
  EXPECT_EQ(confusion.images(0), 3u);
  EXPECT_THAT(answers(confusion, 0), ElementsAre(2, 1));
  EXPECT_DOUBLE_EQ(confusion.accuracy(0), 2.0 / 3);
  EXPECT_DOUBLE_EQ(confusion.accuracy(1), 1);
  EXPECT_DOUBLE_EQ(confusion.accuracy(2), 0) << "nothing can be answered for it";
  EXPECT_DOUBLE_EQ(confusion.accuracy(), 3.0 / 5);
  Confusion more(1, 2);
  more.add(0, 1);
  confusion.add(more);
  EXPECT_THAT(answers(confusion, 0), ElementsAre(2, 2));
}

TEST(Confusion, AgreesWithTheAccuracyOfTests) {
  for (const char* learner : {"er", "icarl"}) {
    LearnState state(testing::tiny_options(learner));
    Executor executor(1);
    for (int k = 1; k <= 2; ++k) learn(state, testing::week(k), executor);
    const Dataset fresh = testing::tiny_dataset(/*classes=*/4, /*per_class=*/150, /*seed=*/99);
    const std::vector<Label> own = {0, 1, 2, 3};
    const Tested tested = test(state, fresh, own);
    const Confusion all = confusion_of(state, fresh, state.labels());
    EXPECT_DOUBLE_EQ(all.accuracy(), tested.among_all) << learner;
    EXPECT_EQ(all.images(), 600u);
    const Dataset second = testing::week(2).train;
    const std::vector<Label> of_second = labels_in(second);
    EXPECT_DOUBLE_EQ(confusion_of(state, second, of_second).accuracy(),
                     test(state, second, of_second).accuracy);
  }
}

TEST(Confusion, AnswersImagesOfAnUnknownClassWithKnownOnes) {
  LearnState state(testing::tiny_options("er"));
  Executor executor(1);
  learn(state, testing::week(1), executor);
  const Dataset unknown = testing::week(2).train;  // classes 2 and 3
  const Confusion confusion = confusion_of(state, unknown, state.labels());
  EXPECT_EQ(confusion.labels(), 4u);
  EXPECT_EQ(confusion.images(2), 30u);
  EXPECT_EQ(confusion.answers(2).size(), 2u);
  EXPECT_EQ(confusion.accuracy(), 0);
}

TEST(Confusion, OfTheHeldOutImagesHasAllOfThem) {
  LearnState state(testing::tiny_options("er"));
  Executor executor(1);
  for (int k = 1; k <= 2; ++k) learn(state, testing::week(k), executor);
  const Confusion confusion = confusion_of_tests(state);
  EXPECT_EQ(confusion.images(), state.tests.size());
  double right = 0;
  for (const TaskStanding& score : test_tasks(state))
    right += score.now.among_all * static_cast<double>(score.examples);
  EXPECT_NEAR(confusion.accuracy(), right / static_cast<double>(state.tests.size()), 1e-12);
}

}  // namespace confusion_test
}  // namespace gps
