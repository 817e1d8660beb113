#include "gps/policies/parts/learning_history.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "policies/known_network.h"
#include "support/tiny_data.h"

namespace gps {
namespace learning_history_test {

using Rows = std::vector<std::uint32_t>;
using Marks = std::vector<bool>;

LearningHistory history_of(std::size_t examples) {
  LearningHistory history;
  history.begin_task(examples);
  return history;
}

TEST(LearningHistory, CountsFromTheEarliestEpochSinceWhichTheAnswerWasRight) {
  LearningHistory history = history_of(4);
  const std::vector<double> losses(4, 1.0);
  history.record({true, false, true, true}, losses);
  history.record({true, true, false, true}, losses);
  history.record({true, true, true, false}, losses);
  // Learnt in epochs 1, 2, 3 and never.
  EXPECT_EQ(history.easiest_first(), (Rows{0, 1, 2, 3}));
  history.record({false, true, true, true}, losses);
  // Never, 2, 3, 4.
  EXPECT_EQ(history.easiest_first(), (Rows{1, 2, 3, 0}));
}

TEST(LearningHistory, RanksEqualEpochsByTheirLossNowAndEqualLossesByRow) {
  LearningHistory history = history_of(5);
  history.record({true, true, true, false, false}, std::vector<double>{9, 9, 9, 9, 9});
  history.record({true, true, true, false, true}, std::vector<double>{3, 1, 3, 0.5, 0.1});
  EXPECT_EQ(history.easiest_first(), (Rows{1, 0, 2, 4, 3}));
}

TEST(LearningHistory, TakesTheFractionOfAllRows) {
  LearningHistory history = history_of(5);
  history.record(Marks(5, true), std::vector<double>{5, 4, 3, 2, 1});
  EXPECT_EQ(history.easy(0.4), (Marks{false, false, false, true, true}));
  EXPECT_EQ(history.easy(0.01), (Marks{false, false, false, false, true})) << "at least one";
  EXPECT_EQ(history.easy(1), Marks(5, true));
}

TEST(LearningHistory, TakesAnEqualNumberOfEachClassPresent) {
  // Three classes of which two are present; six of class 0, two of class 2.
  const std::vector<Label> labels = {0, 0, 2, 0, 0, 0, 2, 0};
  const Dataset data({1, 1, 1}, std::vector<std::uint8_t>(8), labels, 3);
  LearningHistory history = history_of(8);
  history.record(Marks(8, true), std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8});
  // 0.75 · 8 / 2 = 3 of each: the easiest three of class 0, and both of class 2.
  EXPECT_EQ(history.easy_in_class(data, 0.75),
            (Marks{true, true, true, true, false, false, true, false}));
  // 0.25 · 8 / 2 = 1 of each.
  EXPECT_EQ(history.easy_in_class(data, 0.25),
            (Marks{true, false, true, false, false, false, false, false}));
}

TEST(LearningHistory, KnowsNothingBeforeTheFirstCheckAndAfterANewTaskBegins) {
  const Dataset data = testing::tiny_dataset(2, 2);
  LearningHistory history = history_of(4);
  EXPECT_EQ(history.easy(1), Marks(4, false));
  EXPECT_EQ(history.easy_in_class(data, 1), Marks(4, false));
  history.record({true, false, true, true}, std::vector<double>(4, 1.0));
  history.begin_task(4);
  EXPECT_EQ(history.easy(1), Marks(4, false));
  history.record({false, true, false, false}, std::vector<double>(4, 1.0));
  EXPECT_EQ(history.easiest_first().front(), 1u);
}

TEST(LearningHistory, ChecksWithTheLearnersNetworkAndLeavesItAlone) {
  const auto learner = testing::known_learner(2, 10);
  const auto before = network_of(*learner).parameters();
  const Task task = testing::margin_task(1, {{0, 50}, {1, 200}, {1, -20}, {0, 100}, {0, -90}});
  LearningHistory history = history_of(5);
  history.check(task.train, *learner);
  EXPECT_EQ(history.easiest_first(), (Rows{1, 3, 0, 2, 4}));
  EXPECT_EQ(network_of(*learner).parameters(), before);
}

TEST(LearningHistory, ChecksTasksThatAreLargerThanABatchOfImages) {
  std::vector<std::pair<Label, int>> margins;
  for (int n = 0; n < 600; ++n) margins.emplace_back(static_cast<Label>(n % 2), n % 256 - 100);
  const auto learner = testing::known_learner(2, 10);
  LearningHistory history = history_of(600);
  history.check(testing::margin_task(1, margins).train, *learner);
  const Rows ranking = history.easiest_first();
  for (std::size_t k = 1; k < ranking.size(); ++k) {
    EXPECT_GE(margins[ranking[k - 1]].second, margins[ranking[k]].second);
  }
}

}  // namespace learning_history_test
}  // namespace gps
