#include "gps/deployment/check_learnt.h"

#include <gmock/gmock.h>

#include <numeric>

#include "deployment/weeks.h"

namespace gps {
namespace check_learnt_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Counts = std::vector<std::size_t>;

// A task whose answers are right with this share, by label of the task and of all classes.
TaskStanding standing(int task, const Counts& labels, double accuracy, const Counts& predicted) {
  TaskStanding made{.task = task, .last = task, .now = {}};
  made.examples = std::accumulate(labels.begin(), labels.end(), std::size_t{0});
  made.now = {accuracy, accuracy, predicted, predicted};
  made.labels = labels;
  return made;
}

TaskStanding fallen(TaskStanding from, double before) {
  from.before = Tested{before, before};
  return from;
}

LearnReport report_of(std::vector<TaskStanding> scores) {
  LearnReport report{.task = scores.back().task};
  report.scores = std::move(scores);
  return report;
}

TEST(CheckLearnt, FindsNothingInATaskThatWasLearnt) {
  EXPECT_THAT(problems_of(report_of({standing(1, {20, 20}, 0.9, {22, 18})}), true), IsEmpty());
  EXPECT_THAT(problems_of(LearnReport{.task = 1}, true), IsEmpty()) << "nothing was tested";
}

TEST(CheckLearnt, FindsATaskOnWhichTheNetworkGuesses) {
  // Guessing has 27 of 40 right with 1.9 %, 28 with 0.8 %.
  const auto problems = problems_of(report_of({standing(1, {20, 20}, 27.0 / 40, {20, 20})}), true);
  EXPECT_THAT(problems, ElementsAre("accuracy on all 40 test images of the new task is 67.5 %, not "
                                    "clearly better than guessing (50.0 %); with 40 images, at "
                                    "least 70.0 % is needed"));
  EXPECT_THAT(problems_of(report_of({standing(1, {20, 20}, 0.7, {20, 20})}), true), IsEmpty());
}

TEST(CheckLearnt, FindsOneLabelForAllImages) {
  EXPECT_THAT(problems_of(report_of({standing(1, {20, 20}, 0.5, {0, 40})}), true),
              ElementsAre("all 40 test images of the new task get the same label"));
}

TEST(CheckLearnt, SaysNothingOfAHandfulOfImages) {
  EXPECT_THAT(problems_of(report_of({standing(1, {5, 5}, 0.5, {10, 0})}), true), IsEmpty());
}

TEST(CheckLearnt, FindsOneLabelForAllTasksWhereEachHasOneClass) {
  // The new class is answered for everything: right on the new task, of which it is the only class.
  std::vector<TaskStanding> scores = {standing(1, {10, 10}, 0.9, {0, 0, 20}),
                                      standing(2, {0, 0, 10}, 1, {0, 0, 10})};
  scores[0].now.predicted = {11, 9};
  EXPECT_THAT(
      problems_of(report_of(scores), true),
      ElementsAre("all 30 test images of all tasks, among all classes, get the same label"));
  EXPECT_THAT(problems_of(report_of(scores), false), IsEmpty()) << "without replay it is expected";
}

TEST(CheckLearnt, FindsThatMoreThanHalfOfWhatWasKnownIsGone) {
  // From 90 % with guessing at 50 %, half-way is 70 %: of 100 images, at most 58 are right with
  // 0.7 %, and at most 59 with 1.2 %.
  const auto report = [](double now) {
    return report_of(
        {fallen(standing(1, {50, 50}, now, {50, 50}), 0.9), standing(2, {20, 20}, 1, {20, 20})});
  };
  EXPECT_THAT(
      problems_of(report(0.58), true),
      ElementsAre("accuracy on the 100 test images of the earlier tasks fell from 90.0 % to "
                  "58.0 %"));
  EXPECT_THAT(problems_of(report(0.60), true), IsEmpty());
  EXPECT_THAT(problems_of(report(0.58), false), IsEmpty()) << "without replay it is expected";
}

TEST(CheckLearnt, KnowsWhetherTheVersionBeforeGuessed) {
  const auto report = [](double before) {
    return report_of({fallen(standing(1, {20, 20}, 0.5, {20, 20}), before),
                      standing(2, {20, 20}, 0.5, {20, 20})});
  };
  EXPECT_TRUE(guessed_before(report(0.5)));
  EXPECT_FALSE(guessed_before(report(0.9)));
  EXPECT_FALSE(guessed_before(report_of({standing(1, {20, 20}, 0.5, {20, 20})})))
      << "there was none";
}

TEST(CheckLearnt, IsPartOfTheReportOfLearning) {
  // Two classes with the same images: nobody can tell them apart.
  const auto same_pattern = [](std::uint64_t seed) {
    const Dataset one = testing::tiny_dataset(1, 60, seed);
    std::vector<std::uint8_t> bytes;
    std::vector<Label> labels;
    for (std::size_t row = 0; row < one.size(); ++row) {
      const std::uint8_t* const image = one.image(row, {});
      bytes.insert(bytes.end(), image, image + 36);
      labels.push_back(static_cast<Label>(row % 2));
    }
    return Dataset({1, 6, 6}, bytes, labels, 2);
  };
  NewTask task = testing::week(1);
  task.train = same_pattern(1);
  task.test = same_pattern(2);
  LearnOptions options = testing::tiny_options("er", "reservoir");
  options.method.learner.learning_rate = 1e-30f;
  Executor executor(1);
  LearnState state(options);
  const LearnReport report = learn(state, task, executor);
  ASSERT_EQ(report.scores.size(), 1u);
  EXPECT_EQ(report.scores[0].labels, (Counts{30, 30}));
  EXPECT_FALSE(report.problems.empty()) << report.scores[0].now.accuracy;
}

}  // namespace check_learnt_test
}  // namespace gps
