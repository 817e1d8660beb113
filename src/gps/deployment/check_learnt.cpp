#include "gps/deployment/check_learnt.h"

#include <fmt/format.h>

#include "gps/training/health.h"

namespace gps {
namespace {

void add_counts(std::vector<std::size_t>& to, const std::vector<std::size_t>& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (std::size_t k = 0; k < from.size(); ++k) to[k] += from[k];
}

// Returns what is wrong with these answers; empty if nothing is. `images` says which images they
// are for.
std::string problem_with(double accuracy, const std::vector<std::size_t>& predicted,
                         const GuessedTest& test, const std::string& images) {
  if (gives_one_answer(predicted, test)) return fmt::format("{} get the same label", images);
  if (!is_at_chance(accuracy, test)) return "";
  return fmt::format(
      "accuracy on {} is {:.1f} %, not clearly better than guessing ({:.1f} %); with {} images, at "
      "least {:.1f} % is needed",
      images, 100 * accuracy, 100 * test.guess, test.images, 100 * least_above_guessing(test));
}

std::string problem_of_new_task(const LearnReport& report) {
  const TaskStanding& newest = report.scores.back();
  if (newest.task != report.task) return "";  // it has no test images
  return problem_with(newest.now.accuracy, newest.now.predicted, guessed(newest.labels),
                      fmt::format("all {} test images of the new task", newest.examples));
}

std::string problem_among_all(const LearnReport& report) {
  std::vector<std::size_t> labels;
  std::vector<std::size_t> predicted;
  double right = 0;
  for (const TaskStanding& score : report.scores) {
    add_counts(labels, score.labels);
    add_counts(predicted, score.now.predicted_among_all);
    right += score.now.among_all * static_cast<double>(score.examples);
  }
  const GuessedTest test = guessed(labels);
  return problem_with(
      right / static_cast<double>(test.images), predicted, test,
      fmt::format("all {} test images of all tasks, among all classes,", test.images));
}

std::string fall_of_earlier_tasks(const LearnReport& report) {
  std::vector<GuessedTest> tests;
  double before = 0;
  double now = 0;
  for (const TaskStanding& score : report.scores) {
    if (score.task == report.task || !score.before) continue;
    tests.push_back(guessed(score.labels));
    before += score.before->accuracy * static_cast<double>(score.examples);
    now += score.now.accuracy * static_cast<double>(score.examples);
  }
  if (tests.empty()) return "";
  const GuessedTest test = pooled(tests);
  before /= static_cast<double>(test.images);
  now /= static_cast<double>(test.images);
  if (!fell_by_half(before, now, test)) return "";
  return fmt::format(
      "accuracy on the {} test images of the earlier tasks fell from {:.1f} % to {:.1f} %",
      test.images, 100 * before, 100 * now);
}

}  // namespace

std::vector<std::string> problems_of(const LearnReport& report, bool learner_replays) {
  if (report.scores.empty()) return {};
  std::vector<std::string> problems;
  const auto add = [&](std::string problem) {
    if (!problem.empty()) problems.push_back(std::move(problem));
  };
  add(problem_of_new_task(report));
  if (!learner_replays) return problems;
  if (report.scores.size() > 1) add(problem_among_all(report));
  add(fall_of_earlier_tasks(report));
  return problems;
}

bool guessed_before(const LearnReport& report) {
  std::vector<GuessedTest> tests;
  double right = 0;
  for (const TaskStanding& score : report.scores) {
    if (score.task == report.task || !score.before) continue;
    tests.push_back(guessed(score.labels));
    right += score.before->accuracy * static_cast<double>(score.examples);
  }
  if (tests.empty()) return false;
  const GuessedTest test = pooled(tests);
  return is_at_chance(right / static_cast<double>(test.images), test);
}

}  // namespace gps
