// Recorded analyses as charts over seeds, with one line for each kind of tasks.
#pragma once

#include "gps/report/analyses.h"
#include "gps/report/tables/seed_table.h"

namespace gps {

struct AnalysisPoint {
  double x = 0;
  std::vector<std::vector<double>> values;  // for each measure one value per seed, in order
};

struct AnalysisLine {
  std::string label;  // the kind of tasks: "offline", "permutation", …; "real"
  std::vector<AnalysisPoint> points;
};

struct AnalysisChart {
  std::string kind;       // "ring-size", "forgetting", "difficulty" or "zero-shot"
  std::string title;      // title of the group
  Spec spec;              // spec of its first analysis
  std::string lines_are;  // "future" or "tasks"
  std::string x;          // "ring size"
  std::string x_title;    // "ring size of task 1, of 1000"
  std::vector<SeedMeasure> measures;
  std::size_t drawn = 0;              // number of measures with a chart, from the first
  std::optional<double> chance{};     // chance level of the first measure, as it is shown
  std::vector<AnalysisLine> lines{};  // real tasks first
};

// Returns the charts by kind, then by title. `ring-size` has the records with several ring sizes,
// scored after the whole future. `forgetting` is the path of a task along its future: with half of
// its share in the ring part, or the nearest recorded ratio, and with each ratio that was recorded
// alone.
std::vector<AnalysisChart> analysis_charts(const std::vector<ReportedAnalysis>& analyses);

// Returns one row per point. `with_seeds` adds the number of seeds, for tables whose cells do not
// show it (shown()).
SeedTable table_of(const AnalysisChart& chart, bool with_seeds);

}  // namespace gps
