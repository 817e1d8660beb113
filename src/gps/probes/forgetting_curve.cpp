#include "gps/probes/forgetting_curve.h"
#include "gps/core/option.h"

#include <fmt/format.h>

namespace gps {

std::vector<double> forgetting_curve(const RunResult& result, int task) {
  const std::size_t tasks = result.accuracy.size();
  if (tasks != static_cast<std::size_t>(result.spec.benchmark.tasks)) {
    throw UsageError(
        fmt::format("learner '{}' learns all tasks at once, so there are no later tasks",
                    result.spec.learner.name));
  }
  if (task < 1 || static_cast<std::size_t>(task) > tasks)
    throw OptionError("task", fmt::format("must be between 1 and {}, got {}", tasks, task));
  const auto j = static_cast<std::size_t>(task) - 1;
  std::vector<double> curve;
  for (std::size_t i = j; i < tasks; ++i) {
    if (result.accuracy[i].size() <= j) {
      throw OptionError("evaluate",
                        fmt::format("must be every-task or seen for this: with {}, task {} was not "
                                    "tested after task {}",
                                    result.spec.evaluation.when, task, i + 1));
    }
    curve.push_back(result.accuracy[i][j]);
  }
  return curve;
}

std::vector<double> forgetting_curve(const RingSizePoint& point, Measure measure) {
  const double TaskScore::*member = measure == Measure::loss            ? &TaskScore::loss
                                    : measure == Measure::accuracy      ? &TaskScore::accuracy
                                    : measure == Measure::test_loss     ? &TaskScore::test_loss
                                    : measure == Measure::test_accuracy ? &TaskScore::test_accuracy
                                                                        : nullptr;
  if (member == nullptr)
    throw UsageError(fmt::format("{} is not a measure of one task", name_of(measure)));
  std::vector<double> curve;
  for (const TaskScore& score : point.path) curve.push_back(score.*member);
  return curve;
}

}  // namespace gps
