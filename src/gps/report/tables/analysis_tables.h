// What analyses and runs say in a few rows, each under its setting.
#pragma once

#include "gps/report/report.h"

namespace gps {

struct AnalysisTable {
  std::string name;   // "one-minimum"
  std::string title;  // what it shows
  Table table;
  std::vector<Spec> specs;  // what each row below the head is about, for filters
};

// Of analyses: how many curves of a task's test loss over its ring size have one minimum
// (one_minimum.h), and the variance of the difficulty of tasks. Of runs: the distance of the ratios
// that gps found to the oracle's (ratio_distance.h), and the simulation of gps
// against its training (time_ratio.h). Tables without rows are left out.
std::vector<AnalysisTable> analysis_tables(const std::vector<ReportedAnalysis>& analyses,
                                           const std::vector<ReportedSetting>& settings);

}  // namespace gps
