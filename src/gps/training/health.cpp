#include "gps/training/health.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "gps/core/binomial.h"

namespace gps {
namespace {

constexpr double kSignificance = 0.01;
constexpr std::size_t kFewestImages = 20;
constexpr double kFewestOthers = 7;  // 0.5^7 < 0.01 < 0.5^6

bool guessing_reaches(double accuracy, const GuessedTest& test) {
  // Subtract a little before rounding up: accuracy × images is a whole number (or half-way), but
  // may be slightly larger because of floating-point errors.
  const double right = std::ceil(accuracy * static_cast<double>(test.images) - 1e-6);
  return binomial_at_least(static_cast<std::size_t>(std::max(0.0, right)), test.images,
                           test.guess) > kSignificance;
}

}  // namespace

std::vector<std::size_t> count_labels(const Dataset& data) {
  std::vector<std::size_t> counts;
  for (std::size_t row = 0; row < data.size(); ++row) {
    const std::size_t label = data.label(row);
    if (label >= counts.size()) counts.resize(label + 1);
    ++counts[label];
  }
  return counts;
}

GuessedTest guessed(const Dataset& test) { return guessed(count_labels(test)); }

GuessedTest guessed(std::span<const std::size_t> labels) {
  const std::size_t all = std::accumulate(labels.begin(), labels.end(), std::size_t{0});
  assert(all > 0);
  const auto most = static_cast<double>(*std::max_element(labels.begin(), labels.end()));
  return {all, most / static_cast<double>(all)};
}

GuessedTest pooled(std::span<const GuessedTest> tests) {
  GuessedTest all;
  for (const GuessedTest& test : tests) all.images += test.images;
  for (const GuessedTest& test : tests)
    all.guess += test.guess * static_cast<double>(test.images) / static_cast<double>(all.images);
  all.guess = std::min(1.0, all.guess);
  return all;
}

bool can_tell_guessing(const GuessedTest& test) {
  return test.images >= kFewestImages && !guessing_reaches((1 + test.guess) / 2, test);
}

double least_above_guessing(const GuessedTest& test) {
  assert(can_tell_guessing(test));
  // The probability falls with the number of right answers.
  const auto accuracy = [&](std::size_t right) {
    return static_cast<double>(right) / static_cast<double>(test.images);
  };
  std::size_t reached = 0;
  std::size_t above = test.images;
  while (reached + 1 < above) {
    const std::size_t middle = (reached + above) / 2;
    (guessing_reaches(accuracy(middle), test) ? reached : above) = middle;
  }
  return accuracy(above);
}

bool is_at_chance(double accuracy, const GuessedTest& test) {
  return test.images >= kFewestImages && guessing_reaches(accuracy, test) &&
         can_tell_guessing(test);
}

bool gives_one_answer(std::span<const std::size_t> predicted, const GuessedTest& test) {
  const double others = static_cast<double>(test.images) * (1 - test.guess);
  if (test.images < kFewestImages || others < kFewestOthers - 1e-6) return false;
  return std::count_if(predicted.begin(), predicted.end(),
                       [](std::size_t images) { return images > 0; }) == 1;
}

bool fell_by_half(double before, double now, const GuessedTest& test) {
  const double half = (before + test.guess) / 2;
  // The last condition follows from the bound. It saves the sum for networks that are well.
  if (test.images < kFewestImages || before <= test.guess || now >= half) return false;
  const auto right =
      static_cast<std::size_t>(std::floor(now * static_cast<double>(test.images) + 1e-6));
  return 1 - binomial_at_least(right + 1, test.images, half) <= kSignificance;
}

}  // namespace gps
