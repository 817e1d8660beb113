#include "gps/experiments/warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "gps/core/binomial.h"

namespace gps {
namespace {

constexpr double kSignificance = 0.01;

bool guessing_reaches(double accuracy, const GuessedTest& test) {
  // Subtract a little before rounding up: accuracy × images is a whole number (or half-way), but
  // may be slightly larger because of floating-point errors.
  const double right = std::ceil(accuracy * static_cast<double>(test.images) - 1e-6);
  return binomial_at_least(static_cast<std::size_t>(std::max(0.0, right)), test.images,
                           test.guess) > kSignificance;
}

}  // namespace

GuessedTest guessed(const Dataset& test) {
  assert(test.size() > 0);
  std::vector<std::size_t> counts;
  for (std::size_t row = 0; row < test.size(); ++row) {
    const std::size_t label = test.label(row);
    if (label >= counts.size()) counts.resize(label + 1);
    ++counts[label];
  }
  const auto most = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
  return {test.size(), most / static_cast<double>(test.size())};
}

bool is_at_chance(double accuracy, const GuessedTest& test) {
  return guessing_reaches(accuracy, test) && !guessing_reaches((1 + test.guess) / 2, test);
}

std::vector<std::string> warnings_of(const RunResult& result,
                                     const std::vector<GuessedTest>& tests) {
  std::vector<std::size_t> not_learnt;
  const bool is_joint = result.accuracy.size() < tests.size();  // one row for all tasks
  const auto after_learning = [&](std::size_t task) {
    return is_joint ? result.accuracy.back()[task] : result.accuracy[task][task];
  };
  for (std::size_t task = 0; task < tests.size(); ++task) {
    if (is_at_chance(after_learning(task), tests[task])) not_learnt.push_back(task);
  }
  if (not_learnt.empty()) return {};
  const std::size_t first = not_learnt.front();
  return {fmt::format(
      "{} of {} tasks not learnt: after training on task {}, accuracy on it is {:.1f} %, no better "
      "than guessing ({:.1f} %); try a lower `lr`, or more `epochs` if it is low already",
      not_learnt.size(), tests.size(), first + 1, 100 * after_learning(first),
      100 * tests[first].guess)};
}

std::vector<std::string> warnings_of(const RunResult& result, const Benchmark& benchmark) {
  std::vector<GuessedTest> tests;
  for (int task = 1; task <= benchmark.tasks(); ++task)
    tests.push_back(guessed(benchmark.test(task)));
  return warnings_of(result, tests);
}

}  // namespace gps
