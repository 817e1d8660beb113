#include "gps/report/learning/learnt.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "deployment/weeks.h"

namespace gps {
namespace learnt_test {

using ::testing::HasSubstr;

TEST(LearntText, SaysWhatWasForgottenAndOnHowFewImagesThatRests) {
  Executor executor(1);
  LearnState state(testing::tiny_options("sgd"));
  learn(state, testing::week(1), executor);
  const LearnReport report = learn(state, testing::week(2), executor);
  const std::string text = learnt_text(report, state);
  EXPECT_THAT(text, HasSubstr("new: class 2, class 3; 4 classes in all"));
  EXPECT_THAT(
      text,
      ::testing::ContainsRegex(
          "forgotten by this call: [0-9.]+ ± 32 points on task 1 week1 [(]among all classes[)].*; "
          "± is what may be chance\n"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("since learnt"))) << "which is this call's doing";
  EXPECT_THAT(text, HasSubstr("memory: 10 images = 0 for replay + 10 for testing"));
  const nlohmann::json json = to_json(report, state);
  EXPECT_EQ(json.at("scores").at(0).at("examples"), 10);
  EXPECT_EQ(json.at("scores").at(0).at("now").at("among_all"), report.scores[0].now.among_all);
}

// A task may be forgotten a little with each call.
TEST(LearntText, SaysWhatWasForgottenSinceATaskWasLearnt) {
  Executor executor(1);
  LearnState state(testing::tiny_options("er", "mixed", 100));
  for (int k = 1; k <= 2; ++k) learn(state, testing::week(k), executor);
  LearnReport report = learn(state, testing::week(3), executor);
  ASSERT_EQ(report.scores.size(), 3u);
  state.tasks[0] = {.name = "week1", .labels = {0, 1}, .tested = 16, .accuracy = 1, .among_all = 1};
  report.scores[0].examples = 25;
  report.scores[0].before = Tested{0.76, 0.68};
  report.scores[0].now = {.accuracy = 0.76, .among_all = 0.6};
  report.scores[1].examples = 4;
  report.scores[1].before = report.scores[1].now = {.accuracy = 1, .among_all = 0.75};
  const std::string text = learnt_text(report, state);
  EXPECT_THAT(text, HasSubstr("forgotten by this call: 8.0 ± 20 points on task 1 week1 (among all "
                              "classes); ± is what may be chance\n"))
      << "by the number of its own test images, not by those of task 2";
  EXPECT_THAT(text, HasSubstr("forgotten since learnt: 40.0 ± 25 points on task 1 week1 (among all "
                              "classes); 24.0 ± 25 points on task 1 week1 (among the task's own "
                              "classes); ± is what may be chance\n"));
  const nlohmann::json scores = to_json(report, state).at("scores");
  EXPECT_EQ(scores.at(0).at("when_learnt"),
            (nlohmann::json{{"examples", 16}, {"accuracy", 1.0}, {"among_all", 1.0}}));
  EXPECT_FALSE(scores.at(2).contains("when_learnt")) << "that is now";
  report.scores[0].now = *report.scores[0].before;
  EXPECT_THAT(learnt_text(report, state),
              HasSubstr("forgotten by this call: nothing measurable (± 20 to 50 points with 4 to "
                        "25 test images of each task)\n"));
}

TEST(LearntText, NamesTheWeeksThatShareAsOneAndAddsUpWhatIsTested) {
  LearnOptions options = testing::tiny_options("er", "mixed", 30);
  options.method.training.epochs = 1;
  Executor executor(1);
  LearnState state(options);
  for (int k = 1; k <= 11; ++k) learn(state, testing::week(k, 0, 2, 6), executor);
  LearnReport report = learn(state, testing::week(12, 0, 2, 6), executor);
  const std::string text = learnt_text(report, state);
  EXPECT_THAT(text, HasSubstr("\ntasks 1 to "));
  EXPECT_THAT(text, HasSubstr("\n  tasks 1 to "));
  EXPECT_THAT(text, HasSubstr("\ntask 12 week12 "));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("; 0 for testing")));
  EXPECT_THAT(text, HasSubstr("when learnt"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("no images left")));
  report.scores = {{.task = 1, .last = 3, .examples = 3, .before = Tested{1, 0}, .now = {1, 1}},
                   {.task = 12, .last = 12, .examples = 1, .before = Tested{0, 0}, .now = {0, 0}}};
  EXPECT_THAT(learnt_text(report, state),
              ::testing::ContainsRegex("all tasks +4 images +0.0 +75.0 .* 75.0 +75.0 "));
  state.tests.retain([](const Example& example) { return example.task == 12; });
  EXPECT_THAT(learnt_text(report, state), HasSubstr("tasks 1 to 11: no images left to test on\n"));
}

TEST(LearntText, SaysWhatWasChosenForTheMemoryIfSomethingWas) {
  Executor executor(1);
  LearnState state(testing::tiny_options("er", "mixed:1"));
  LearnReport report = learn(state, testing::week(1), executor);
  report.decision = Decision{.task = 1, .plan = {.ring_size = 2}, .quota = 10};
  EXPECT_THAT(learnt_text(report, state), ::testing::Not(HasSubstr("memory of this task")));
  report.decision->trials.resize(2);
  report.decision->trials[0].plan.ring_size = 5;
  report.decision->trials[0].outcome.accuracy = 0.991;
  report.decision->trials[1].plan.ring_size = 2;
  report.decision->trials[1].outcome.accuracy = 0.995;
  EXPECT_THAT(learnt_text(report, state),
              HasSubstr("memory of this task: 10 images, 2 of them class-balanced; simulated "
                        "accuracy with 5 and 2 class-balanced: 99.1 and "
                        "99.5 %\n"));
  report.decision->quota = report.trained;
  EXPECT_THAT(learnt_text(report, state), ::testing::Not(HasSubstr("memory of this task")))
      << "everything fits";
}

TEST(LearntText, SaysIfThereAreTooFewTestImagesToJudge) {
  Executor executor(1);
  LearnState state(testing::tiny_options("er", "mixed:1"));
  LearnReport report = learn(state, testing::week(1), executor);
  report.scores.back().labels = {5, 5};
  EXPECT_THAT(learnt_text(report, state),
              HasSubstr("too few test images to judge whether the new task was learnt: 10\n"));
  report.scores.back().labels = {20, 20};
  EXPECT_THAT(learnt_text(report, state), ::testing::Not(HasSubstr("too few test images")));
}

TEST(LearntText, CountsOneImageInTheSingular) {
  Executor executor(1);
  LearnState state(testing::tiny_options("er", "mixed:1"));
  LearnReport report = learn(state, testing::week(1), executor);
  report.not_trained = 1;
  EXPECT_THAT(learnt_text(report, state),
              HasSubstr("left out of training: 1 image, because it is a test image\n"));
}

}  // namespace learnt_test
}  // namespace gps
