// validate(result), see result.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gps/core/statistics.h"
#include "gps/experiments/result.h"

namespace gps {
namespace {

// Means of shares may be above 1 in their last digit.
constexpr double kRounding = 1e-9;
// A metric may have been summed in another order.
constexpr double kMetricRounding = 1e-6;
// A result does not say how large its images are. Every codec stores at least one byte of each.
constexpr std::size_t kLeastBytesAnExample = kBookkeepingBytes + 1;

[[noreturn]] void contradict(const std::string& what) { throw DamagedResult("damaged: " + what); }

void check_length(std::size_t length, std::size_t expected, const std::string& key) {
  if (length != expected)
    contradict(fmt::format("'{}' has {} entries; expected {}", key, length, expected));
}

void check_share(double value, const std::string& key) {
  if (!(value >= 0 && value <= 1 + kRounding))
    contradict(fmt::format("'{}' has the value {}; expected 0 to 1", key, value));
}

void check_shares(const std::vector<double>& values, std::size_t expected, const std::string& key) {
  check_length(values.size(), expected, key);
  for (const double value : values) check_share(value, key);
}

// The lengths of the rows, from that of accuracy_at_initialisation on.
using RowLengths = std::vector<std::size_t>;

RowLengths row_lengths(const Spec& spec, int stages) {
  RowLengths lengths;
  try {
    validate(spec.evaluation);
  } catch (const UsageError& error) {
    contradict(fmt::format("'spec': {}", error.what()));
  }
  for (int stage = 0; stage <= stages; ++stage)
    lengths.push_back(tested_after(stage, stages, spec.benchmark.tasks, spec.evaluation));
  return lengths;
}

void check_matrix(const AccuracyMatrix& matrix, const RowLengths& lengths, const std::string& key) {
  check_length(matrix.size(), lengths.size() - 1, key);
  for (std::size_t i = 0; i < matrix.size(); ++i)
    check_shares(matrix[i], lengths[i + 1], "a row of " + key);
}

void check_metrics(const Metrics& metrics, const AccuracyMatrix& accuracy, const std::string& key) {
  for (const Metric& metric : metric_catalog()) {
    const std::optional<double> value = metrics[metric.name];
    if (value && !std::isfinite(*value))
      contradict(fmt::format("'{}.{}' is not a finite number", key, metric.name));
  }
  const double expected = mean(accuracy.back());
  if (!(std::abs(metrics.average_accuracy() - expected) <= kMetricRounding)) {
    contradict(fmt::format("'{}.average_accuracy' is {}, but the accuracies give {}", key,
                           metrics.average_accuracy(), expected));
  }
}

// Returns the number of classes; 0 if neither the spec nor the result says it.
std::size_t classes_in(const RunResult& result) {
  const std::optional<OwnStream>& own = result.spec.benchmark.own;
  if (own) return static_cast<std::size_t>(std::max(0, own->classes));
  if (!result.class_names.empty()) return result.class_names.size();
  if (result.memory.empty() || result.memory.front().empty()) return 0;
  return result.memory.front().front().ring.size();
}

void check_labels(const RunResult& result, std::size_t tasks, std::size_t classes) {
  if (result.labels.empty() && !result.class_incremental) return;
  check_length(result.labels.size(), tasks, "labels");
  for (const std::vector<Label>& own : result.labels) {
    for (const Label label : own) {
      if (classes > 0 && label >= classes)
        contradict(fmt::format("'labels' has the label {} of {} classes", label, classes));
    }
  }
}

void check_plan(const Plan& plan, std::size_t quota, int task) {
  for (const PlanKnob& knob : plan_knobs()) {
    if (knob.is_of_quota && plan.*knob.value > quota) {
      contradict(fmt::format("'switching_points' has the {} {} for task {}, whose quota is {}",
                             knob.key, plan.*knob.value, task, quota));
    }
  }
}

void check_decisions(const RunResult& result, int tasks) {
  int before = 0;
  for (const Decision& decision : result.decisions) {
    if (decision.task <= before || decision.task > tasks) {
      contradict(fmt::format("'switching_points' has task {} after task {}; there are {} tasks",
                             decision.task, before, tasks));
    }
    before = decision.task;
    check_plan(decision.plan, decision.quota, decision.task);
    for (const Trial& trial : decision.trials) {
      check_plan(trial.plan, decision.quota, decision.task);
      check_share(trial.outcome.accuracy, "accuracy of probes");
      if (std::isnan(trial.outcome.loss)) contradict("'loss of probes' is not a number");
    }
  }
}

void check_expected(const Expected& expected) {
  for (const double value : {expected.accuracy, expected.low, expected.high})
    check_share(value, "expected of plan");
  if (expected.low > expected.accuracy + kRounding ||
      expected.accuracy > expected.high + kRounding) {
    contradict(fmt::format("'plan' expects {}, which is not in its interval, {} to {}",
                           expected.accuracy, expected.low, expected.high));
  }
}

void check_choices(const PlanRecord& plan, int tasks) {
  int before = 0;
  for (const RecipeChoice& choice : plan.choices) {
    if (choice.task <= before || choice.task > tasks) {
      contradict(fmt::format("'plan' has task {} after task {}; there are {} tasks", choice.task,
                             before, tasks));
    }
    before = choice.task;
    for (const RecipeTrial& trial : choice.trials)
      check_share(trial.score, "accuracy of trials of plan");
    if (choice.expected) check_expected(*choice.expected);
    if (!(std::isfinite(choice.work) && choice.work >= 0))
      contradict(fmt::format("'work of plan' has the value {}; expected at least 0", choice.work));
  }
}

// Returns the most examples that the memory may have. If it is counted in bytes, this is a bound.
std::size_t most_examples(const Spec& spec) {
  if (spec.memory_bytes == 0) return static_cast<std::size_t>(std::max(0, spec.memory));
  return std::min<std::size_t>(spec.memory_bytes / kLeastBytesAnExample, kLargestMemory);
}

// Returns the examples of both parts. Throws for more than `room`.
std::size_t stored_in(const TaskShare& share, std::size_t room) {
  std::size_t total = 0;
  for (const auto* part : {&share.ring, &share.reservoir}) {
    for (const std::size_t count : *part) {
      if (count > room - total) contradict("'memory' has more examples than the spec allows");
      total += count;
    }
  }
  return total;
}

void check_memory(const RunResult& result, std::size_t stages, std::size_t classes) {
  if (result.memory.empty()) return;
  check_length(result.memory.size(), stages, "memory");
  if (classes == 0) contradict("'memory' has no classes");
  for (std::size_t i = 0; i < result.memory.size(); ++i) {
    std::size_t room = most_examples(result.spec);
    const Composition& shares = result.memory[i];
    check_length(shares.size(), i + 1, fmt::format("tasks of memory after task {}", i + 1));
    for (std::size_t k = 0; k < shares.size(); ++k) {
      if (shares[k].task != static_cast<int>(k + 1)) {
        contradict(
            fmt::format("'memory' has task {} in the place of task {}", shares[k].task, k + 1));
      }
      check_length(shares[k].ring.size(), classes, "ring of memory");
      check_length(shares[k].reservoir.size(), classes, "reservoir of memory");
      room -= stored_in(shares[k], room);
    }
  }
}

// REQUIRES: check_memory() accepts the result.
void check_memory_bytes(const RunResult& result) {
  if (result.memory_bytes == 0) return;
  const std::uint64_t budget = result.spec.memory_bytes;
  if (budget > 0 && result.memory_bytes > budget) {
    contradict(
        fmt::format("'memory_bytes' is {}, but the spec allows {}", result.memory_bytes, budget));
  }
  if (result.memory.empty()) return;
  std::size_t stored = 0;
  for (const TaskShare& share : result.memory.back())
    stored += stored_in(share, most_examples(result.spec));
  if (stored > result.memory_bytes / kLeastBytesAnExample) {
    contradict(fmt::format("'memory_bytes' is {}, which is too few for the {} examples of 'memory'",
                           result.memory_bytes, stored));
  }
}

}  // namespace

void validate(const RunResult& result) {
  const int tasks = result.spec.benchmark.tasks;
  if (tasks < 1) contradict(fmt::format("'tasks' of the spec is {}; expected at least 1", tasks));
  const auto columns = static_cast<std::size_t>(tasks);
  const std::size_t stages = learns_jointly(result.spec.learner.name) ? 1 : columns;
  check_length(result.accuracy.size(), stages, "accuracy");  // before a list of this length is made
  const RowLengths lengths = row_lengths(result.spec, static_cast<int>(stages));
  check_matrix(result.accuracy, lengths, "accuracy");
  if (!result.class_accuracy.empty())
    check_matrix(result.class_accuracy, lengths, "class_accuracy");
  check_shares(result.accuracy_at_initialisation, lengths.front(), "accuracy_at_initialisation");
  check_metrics(result.metrics, result.accuracy, "metrics");
  if (result.class_incremental) {
    const ClassIncremental& among_all = *result.class_incremental;
    check_matrix(among_all.accuracy, lengths, "class_incremental.accuracy");
    check_shares(among_all.accuracy_at_initialisation, lengths.front(),
                 "class_incremental.accuracy_at_initialisation");
    check_metrics(among_all.metrics, among_all.accuracy, "class_incremental.metrics");
  }
  const std::size_t classes = classes_in(result);
  check_labels(result, columns, classes);
  if (!result.class_names.empty()) check_length(result.class_names.size(), classes, "class_names");
  if (!result.task_names.empty()) check_length(result.task_names.size(), columns, "task_names");
  check_decisions(result, tasks);
  check_choices(result.plan, tasks);
  check_memory(result, stages, classes);
  check_memory_bytes(result);
  for (const double seconds :
       {result.seconds.training, result.seconds.simulation, result.seconds.evaluation}) {
    if (!(std::isfinite(seconds) && seconds >= 0))
      contradict(fmt::format("'seconds' has the value {}; expected at least 0", seconds));
  }
}

}  // namespace gps
