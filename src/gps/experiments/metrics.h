// The metrics, as pure functions of the accuracy matrix. R_ij is the accuracy on task j after
// learning task i, and b_j the accuracy on task j at initialisation. Both are fractions. A row of R
// may be empty or have its first entries only, if not all tasks were tested after task i
// (experiments/evaluation.h); the last row is complete.
//
// A metric is one row of metric_catalog(). This puts it into the JSON of a result, `gpscl list
// metrics`, the table of a run, the exported CSV and the report's page, and into comparisons if its
// row names a column.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gps/core/catalog.h"

namespace gps {

using AccuracyMatrix = std::vector<std::vector<double>>;  // [i][j], counted from 0

// Returns the matrix after the first `tasks` tasks: `tasks` rows and columns, as far as there are.
AccuracyMatrix first_tasks_of(const AccuracyMatrix& accuracy, std::size_t tasks);

// The values that a metric is computed from.
struct Measured {
  const AccuracyMatrix& accuracy;                // R: T x T, or one row if all are learnt at once
  const std::vector<double>& at_initialisation;  // b; empty if not measured
  const AccuracyMatrix& class_accuracy;          // R as means over classes; empty if not measured
};

struct Metric : Entry {  // its name in the JSON, its formula (`paper`) and its meaning (`summary`)
  // What the metric needs. Without it, the metric has no value.
  enum class Of {
    last_row,       // R_Tj
    last_classes,   // the last row of the class accuracies
    every_row,      // R_ij for i >= j
    several_tasks,  // the same, with at least two tasks
    tasks_to_come,  // R_{j-1,j} and b_j, with at least two tasks
  };
  std::string title;  // name for people
  Of of = Of::last_row;
  bool larger_is_better = true;
  double (*compute)(const Measured& measured) = nullptr;
  std::string column = {};  // its head in comparisons; empty: no column there
};

// The first metric is the number in the tables. Every run has it, and runs are compared by it.
const std::vector<Metric>& metric_catalog();

// Returns nothing if the values that the metric needs are missing.
std::optional<double> value_of(const Metric& metric, const Measured& measured);

// The values of metrics, by their names.
class Metrics {
 public:
  // Returns nothing if the metric has no value. Throws UnknownName if it is not in the catalog.
  std::optional<double> operator[](std::string_view name) const;
  void set(const std::string& name, std::optional<double> value);

  // Returns the first metric, which every run has; 0 before it is set.
  double average_accuracy() const;

 private:
  std::map<std::string, double, std::less<>> values_;
};

// Computes all metrics for which there are values.
Metrics compute_metrics(const Measured& measured);
Metrics compute_metrics(const AccuracyMatrix& accuracy,
                        const std::vector<double>& at_initialisation);

}  // namespace gps
