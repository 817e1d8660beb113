// Small tables about analyses and runs; each row names its setting.
#pragma once

#include "gps/report/report.h"

namespace gps {

struct AnalysisTable {
  std::string name;   // "one-minimum"
  std::string title;  // what it shows
  Table table;
  std::vector<Spec> specs;  // the spec of each row, for filters
};

// From analyses: how many curves of a task's test loss over its ring size have one minimum
// (one_minimum.h), and the variance of the difficulty of tasks. From runs: the distance of the
// ratios that gps found to those of the oracle (ratio_distance.h), and the time of gps's simulation
// relative to its training (time_ratio.h). Tables without rows are left out.
std::vector<AnalysisTable> analysis_tables(const std::vector<ReportedAnalysis>& analyses,
                                           const std::vector<ReportedSetting>& settings);

}  // namespace gps
