#include "gps/experiments/warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "gps/core/text/text.h"

namespace gps {
namespace {

constexpr const char* kTry =
    "try a lower `lr`, fewer `epochs` or another `model`, or more `epochs` if `lr` is low already";

// The rows of a result that these rules look at, and the test sets behind them.
struct Seen {
  const AccuracyMatrix& accuracy;
  const std::vector<GuessedTest>& tests;
  const AnswerShares& answers;
  std::optional<double> common_guess;

  // Learner joint has one row for all tasks.
  std::size_t row_of(std::size_t task) const { return std::min(task, accuracy.size() - 1); }

  // Returns whether the first `count` tasks were tested after a stage.
  bool was_tested(std::size_t count, std::size_t row) const {
    return accuracy[row].size() >= count;
  }

  // REQUIRES: was_tested(task + 1, row_of(task)), for this and the next.
  double after_learning(std::size_t task) const { return accuracy[row_of(task)][task]; }

  bool has_one_answer(std::size_t task) const {
    if (answers.empty() || answers[row_of(task)][task] < 1) return false;
    const std::array<std::size_t, 1> all = {tests[task].images};
    return gives_one_answer(all, tests[task]);
  }

  bool is_not_learnt(std::size_t task) const {
    if (!was_tested(task + 1, row_of(task))) return false;
    return is_at_chance(after_learning(task), tests[task]) || has_one_answer(task);
  }

  GuessedTest together(std::span<const GuessedTest> some) const {
    GuessedTest all = pooled(some);
    if (common_guess) all.guess = std::min(all.guess, *common_guess);
    return all;
  }
  GuessedTest first_tests(std::size_t count) const {
    return together(std::span(tests).first(count));
  }

  // Returns whether the network, directly after training on each of these tasks, is better than
  // guessing on all of them together. Many small test sets can show what none of them shows alone.
  bool learns_together(const std::vector<std::size_t>& some) const {
    std::vector<GuessedTest> sets;
    double right = 0;
    for (const std::size_t task : some) {
      if (has_one_answer(task)) return false;
      sets.push_back(tests[task]);
      right += after_learning(task) * static_cast<double>(tests[task].images);
    }
    const GuessedTest all = together(sets);
    return !is_at_chance(right / static_cast<double>(all.images), all);
  }

  // Returns the accuracy on the images of the first `count` tasks after a stage. REQUIRES:
  // was_tested(count, row).
  double over_first(std::size_t count, std::size_t row) const {
    const auto images = static_cast<double>(first_tests(count).images);
    double sum = 0;
    for (std::size_t task = 0; task < count; ++task)
      sum += accuracy[row][task] * static_cast<double>(tests[task].images) / images;
    return sum;
  }
};

struct Fall {
  std::size_t task = 0;
  double before = 0;
  double after = 0;
};

// Returns the first collapse that the network did not recover from; otherwise the first one, if
// there is any. The earlier tasks are compared with themselves: other tasks may be more difficult.
std::optional<Fall> collapse_of(const Seen& seen, bool& lasts) {
  std::optional<Fall> first;
  lasts = false;
  const std::size_t rows = seen.accuracy.size();
  for (std::size_t task = 1; task < rows; ++task) {
    if (!seen.is_not_learnt(task) || !seen.was_tested(task, task - 1)) continue;
    const Fall fall{task, seen.over_first(task, task - 1), seen.over_first(task, task)};
    const GuessedTest earlier = seen.first_tests(task);
    if (!fell_by_half(fall.before, fall.after, earlier)) continue;
    lasts = seen.is_not_learnt(rows - 1) &&
            seen.over_first(task, rows - 1) < (fall.before + earlier.guess) / 2;
    if (lasts) return fall;
    if (!first) first = fall;
  }
  return first;
}

std::string not_learnt_text(const Seen& seen, std::size_t count, std::size_t first) {
  std::vector<std::string> found;
  if (is_at_chance(seen.after_learning(first), seen.tests[first]))
    found.push_back(
        fmt::format("no better than guessing ({:.1f} %)", 100 * seen.tests[first].guess));
  if (seen.has_one_answer(first)) found.emplace_back("with the same label for all images");
  return fmt::format(
      "{} of {} tasks not learnt: after training on task {}, accuracy on it is {:.1f} %, {}; {}",
      count, seen.tests.size(), first + 1, 100 * seen.after_learning(first), join(found), kTry);
}

}  // namespace

Findings findings_of(const RunResult& result, const std::vector<GuessedTest>& tests,
                     const AnswerShares& answers, std::optional<double> common_guess) {
  const Seen seen{result.accuracy, tests, answers, common_guess};
  std::vector<std::size_t> not_learnt;
  for (std::size_t task = 0; task < tests.size(); ++task) {
    if (seen.is_not_learnt(task)) not_learnt.push_back(task);
  }
  if (not_learnt.size() > 1 && seen.learns_together(not_learnt)) not_learnt.clear();
  const std::size_t last = tests.size() - 1;
  const bool ends_dead = !not_learnt.empty() && not_learnt.back() == last &&
                         is_at_chance(seen.over_first(tests.size(), result.accuracy.size() - 1),
                                      seen.first_tests(tests.size()));
  bool lasts = false;
  const std::optional<Fall> fall = collapse_of(seen, lasts);

  Findings findings;
  findings.has_collapsed = lasts || ends_dead || 2 * not_learnt.size() > tests.size();
  if (fall) {
    findings.warnings.push_back(fmt::format(
        "the network collapsed in task {}: accuracy on the tasks before it fell from {:.1f} % to "
        "{:.1f} %, and {} of {} tasks were not learnt; {}",
        fall->task + 1, 100 * fall->before, 100 * fall->after, not_learnt.size(), tests.size(),
        kTry));
  } else if (!not_learnt.empty()) {
    findings.warnings.push_back(not_learnt_text(seen, not_learnt.size(), not_learnt.front()));
  }
  const std::string failed = failed_simulations(result.decisions);
  if (!failed.empty()) findings.warnings.push_back(failed);
  return findings;
}

bool gave_one_answer(const RunResult& result) {
  const AccuracyMatrix& accuracy = result.class_accuracy;
  if (accuracy.empty()) return false;
  // The classes of a task whose classes are not listed are those of the memory's counts.
  std::size_t all = result.class_names.size();
  if (all == 0 && !result.memory.empty() && !result.memory.back().empty())
    all = result.memory.back().front().ring.size();
  const auto is_one_answer = [&](std::size_t task, std::size_t row) {
    const std::size_t classes = result.labels.empty() ? all : result.labels[task].size();
    if (classes < 2 || accuracy[row].size() <= task) return false;
    constexpr double kRoundingOfShares = 1e-9;
    return std::abs(accuracy[row][task] - 1 / static_cast<double>(classes)) < kRoundingOfShares;
  };
  const std::size_t tasks = accuracy.back().size();
  std::size_t at_end = 0;
  std::size_t when_learnt = 0;
  for (std::size_t task = 0; task < tasks; ++task) {
    at_end += is_one_answer(task, accuracy.size() - 1) ? 1 : 0;
    when_learnt += is_one_answer(task, std::min(task, accuracy.size() - 1)) ? 1 : 0;
  }
  return tasks > 0 && (at_end == tasks || 2 * when_learnt > tasks);
}

std::string failed_simulations(std::span<const Decision> decisions) {
  const auto failed = std::count_if(decisions.begin(), decisions.end(), has_no_live_trial);
  if (failed == 0) return "";
  const std::string when = decisions.size() == 1
                               ? std::string()
                               : fmt::format("after {} of {} tasks ", failed, decisions.size());
  return when +
         "every simulation failed, so gps took the middle of the range; try a lower `lr` or fewer "
         "`sim-epochs`";
}

}  // namespace gps
