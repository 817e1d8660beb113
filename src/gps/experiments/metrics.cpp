#include "gps/experiments/metrics.h"

#include <algorithm>
#include <span>

#include "gps/core/statistics.h"

namespace gps {
namespace {

double average_accuracy(const Measured& measured) { return mean(measured.accuracy.back()); }

double average_class_accuracy(const Measured& measured) {
  return mean(measured.class_accuracy.back());
}

double learning_accuracy(const Measured& measured) {
  std::vector<double> learnt;
  for (std::size_t j = 0; j < measured.accuracy.size(); ++j)
    learnt.push_back(measured.accuracy[j][j]);
  return mean(learnt);
}

double average_incremental_accuracy(const Measured& measured) {
  std::vector<double> so_far;
  for (std::size_t i = 0; i < measured.accuracy.size(); ++i)
    so_far.push_back(mean(std::span(measured.accuracy[i]).first(i + 1)));
  return mean(so_far);
}

// The mean of change(j) over j = 1, …, T - 1.
template <typename Change>
double mean_over_earlier(const Measured& measured, const Change& change) {
  std::vector<double> changes;
  for (std::size_t j = 0; j + 1 < measured.accuracy.size(); ++j) changes.push_back(change(j));
  return mean(changes);
}

double backward_transfer(const Measured& measured) {
  const AccuracyMatrix& r = measured.accuracy;
  return mean_over_earlier(measured, [&](std::size_t j) { return r.back()[j] - r[j][j]; });
}

double forward_transfer(const Measured& measured) {
  const AccuracyMatrix& r = measured.accuracy;
  return mean_over_earlier(
      measured, [&](std::size_t j) { return r[j][j + 1] - measured.at_initialisation[j + 1]; });
}

double forgetting(const Measured& measured) {
  const AccuracyMatrix& r = measured.accuracy;
  return mean_over_earlier(measured, [&](std::size_t j) {
    double best = r[j][j];
    for (std::size_t i = j; i + 1 < r.size(); ++i) best = std::max(best, r[i][j]);
    return best - r.back()[j];
  });
}

// Returns whether there is a row for each task, and row i has the first i entries and `more`, as
// far as there are tasks.
bool has_rows(const AccuracyMatrix& matrix, std::size_t tasks, std::size_t more) {
  if (matrix.size() != tasks) return false;
  for (std::size_t i = 0; i < tasks; ++i) {
    if (matrix[i].size() < std::min(i + 1 + more, tasks)) return false;
  }
  return true;
}

}  // namespace

const std::vector<Metric>& metric_catalog() {
  using enum Metric::Of;
  static const std::vector<Metric> catalog = {
      {{"average_accuracy", "(1/T) Σ_j R_Tj",
        "Mean accuracy over all tasks at the end: the number in the tables."},
       "average accuracy",
       last_row,
       true,
       average_accuracy,
       "accuracy %"},
      {{"average_class_accuracy", "the same over class means",
        "Like average accuracy, but each task's accuracy is the mean over its classes, so rare "
        "classes count as much as common ones."},
       "average class accuracy",
       last_classes,
       true,
       average_class_accuracy},
      {{"learning_accuracy", "(1/T) Σ_j R_jj",
        "Mean accuracy on each task directly after it was learnt."},
       "learning accuracy",
       every_row,
       true,
       learning_accuracy,
       "learning"},
      {{"backward_transfer", "1/(T-1) Σ_{j<T} (R_Tj - R_jj)",
        "Mean change of accuracy since each task was learnt; negative is forgetting (Lopez-Paz and "
        "Ranzato "
        "2017)."},
       "backward transfer",
       several_tasks,
       true,
       backward_transfer},
      {{"forward_transfer", "1/(T-1) Σ_{j>1} (R_{j-1,j} - b_j)",
        "Mean accuracy on a task before it is learnt, minus that of the initial network "
        "(likewise)."},
       "forward transfer",
       tasks_to_come,
       true,
       forward_transfer},
      {{"forgetting", "1/(T-1) Σ_{j<T} (max_{j<=i<T} R_ij - R_Tj)",
        "Mean loss of accuracy since the best value of each task; may be negative (Chaudhry et al. "
        "2018)."},
       "forgetting",
       several_tasks,
       false,
       forgetting,
       "forgetting"},
      {{"average_incremental_accuracy", "(1/T) Σ_i (1/i) Σ_{j<=i} R_ij",
        "Mean accuracy over the tasks seen so far, averaged over all moments."},
       "average incremental accuracy",
       every_row,
       true,
       average_incremental_accuracy},
  };
  return catalog;
}

AccuracyMatrix first_tasks_of(const AccuracyMatrix& accuracy, std::size_t tasks) {
  AccuracyMatrix corner;
  for (std::size_t i = 0; i < tasks; ++i) {
    const auto row = accuracy[i].begin();
    corner.emplace_back(row,
                        row + static_cast<std::ptrdiff_t>(std::min(tasks, accuracy[i].size())));
  }
  return corner;
}

std::optional<double> value_of(const Metric& metric, const Measured& measured) {
  using enum Metric::Of;
  const AccuracyMatrix& matrix =
      metric.of == last_classes ? measured.class_accuracy : measured.accuracy;
  if (matrix.empty() || matrix.back().empty()) return std::nullopt;
  const std::size_t tasks = matrix.back().size();
  const std::size_t at_first = measured.at_initialisation.size();
  if (at_first > 0 && at_first != tasks) return std::nullopt;
  const bool is_there = metric.of == last_row || metric.of == last_classes ? true
                        : metric.of == every_row ? has_rows(matrix, tasks, 0)
                        : metric.of == several_tasks
                            ? tasks > 1 && has_rows(matrix, tasks, 0)
                            : tasks > 1 && at_first > 0 && has_rows(matrix, tasks, 1);
  if (!is_there) return std::nullopt;
  return metric.compute(measured);
}

std::optional<double> Metrics::operator[](std::string_view name) const {
  const auto at = values_.find(name);
  if (at != values_.end()) return at->second;
  find(metric_catalog(), "metric", name);
  return std::nullopt;
}

void Metrics::set(const std::string& name, std::optional<double> value) {
  find(metric_catalog(), "metric", name);
  values_.erase(name);
  if (value) values_[name] = *value;
}

double Metrics::average_accuracy() const {
  return (*this)[metric_catalog().front().name].value_or(0);
}

Metrics compute_metrics(const Measured& measured) {
  Metrics metrics;
  for (const Metric& metric : metric_catalog())
    metrics.set(metric.name, value_of(metric, measured));
  return metrics;
}

Metrics compute_metrics(const AccuracyMatrix& accuracy,
                        const std::vector<double>& at_initialisation) {
  const AccuracyMatrix not_measured;
  return compute_metrics({accuracy, at_initialisation, not_measured});
}

}  // namespace gps
