// What the accuracy matrix says, as pure functions of it. R_ij is the accuracy on task j after
// learning task i, b_j the accuracy on task j at initialisation; both are fractions.
//
// A metric is one row of metric_catalog(). From there it gets into the JSON of a result, `gpscl
// list metrics`, the table of a run, the exported CSV and the report's page, and into comparisons
// if its row names a column.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gps/core/catalog.h"

namespace gps {

using AccuracyMatrix = std::vector<std::vector<double>>;  // [i][j], from 0

// The matrix as it was after the first `tasks` tasks: so many rows and columns.
AccuracyMatrix first_tasks_of(const AccuracyMatrix& accuracy, std::size_t tasks);

// What a metric is computed from.
struct Measured {
  const AccuracyMatrix& accuracy;                // R: T rows of T columns, or one (learnt at once)
  const std::vector<double>& at_initialisation;  // b
  const AccuracyMatrix& class_accuracy;          // R as means over classes; empty: not measured
};

struct Metric : Entry {  // its name in the JSON, its formula (`paper`) and its meaning (`summary`)
  // Of what it is computed; it has no value where that is not there.
  enum class Of {
    last_row,       // R_Tj
    last_classes,   // the last row of the class accuracies
    every_row,      // a row for each task
    several_tasks,  // a row for each of at least two tasks
  };
  std::string title;  // for people
  Of of = Of::last_row;
  bool larger_is_better = true;
  double (*compute)(const Measured& measured) = nullptr;
  std::string column = {};  // its head where runs are compared; empty: it has no column there
};

// The first is the number in the tables, which every run has; runs are compared by it.
const std::vector<Metric>& metric_catalog();

// None where what it is computed of is not there.
std::optional<double> value_of(const Metric& metric, const Measured& measured);

// The values of metrics, by their names.
class Metrics {
 public:
  // None where the metric has no value. Throws UnknownName for one that is not in the catalog.
  std::optional<double> operator[](std::string_view name) const;
  void set(const std::string& name, std::optional<double> value);

  // Of the first metric, which every run has; 0 before it is set.
  double average_accuracy() const;

 private:
  std::map<std::string, double, std::less<>> values_;
};

// All that can be computed.
Metrics compute_metrics(const Measured& measured);
Metrics compute_metrics(const AccuracyMatrix& accuracy,
                        const std::vector<double>& at_initialisation);

}  // namespace gps
