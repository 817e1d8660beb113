// What recorded analyses show over seeds, as charts: one line for each kind of tasks.
#pragma once

#include "gps/report/analyses.h"
#include "gps/report/tables/seed_table.h"

namespace gps {

struct AnalysisPoint {
  double x = 0;
  std::vector<std::vector<double>> values;  // for each measure one a seed, in the seeds' order
};

struct AnalysisLine {
  std::string label;  // the kind of tasks: "offline", "permutation", …; "real"
  std::vector<AnalysisPoint> points;
};

struct AnalysisChart {
  std::string kind;       // "ring-size", "forgetting", "difficulty" or "zero-shot"
  std::string title;      // of the group
  Spec spec;              // of its first analysis
  std::string lines_are;  // "future" or "tasks"
  std::string x;          // "ring size"
  std::string x_title;    // "ring size of task 1, of 1000"
  std::vector<SeedMeasure> measures;
  std::size_t drawn = 0;              // so many of them; the others are for tables
  std::optional<double> chance{};     // of the first measure, as it is shown, if there is a level
  std::vector<AnalysisLine> lines{};  // real tasks first
};

// By kind, then by title. `ring-size` are the records with several ring sizes, scored after the
// whole future. `forgetting` is the path of a task along its future: with half of its share in the
// ring part, or what comes nearest, and with any part that was recorded alone.
std::vector<AnalysisChart> analysis_charts(const std::vector<ReportedAnalysis>& analyses);

// One row a point. `with_seeds`: with their number, where the cells do not say it (shown()).
SeedTable table_of(const AnalysisChart& chart, bool with_seeds);

}  // namespace gps
