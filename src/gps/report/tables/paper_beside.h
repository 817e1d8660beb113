// Compares the paper's numbers with those of runs.
#pragma once

#include "gps/report/report.h"

namespace gps {

struct PaperTable {
  std::string title;  // "Table 1"
  Table table;        // names, seeds, both accuracies and their difference
  std::vector<std::vector<std::int64_t>> runs;  // the ids of the runs of each row
};

// Returns one table for each item of the paper that a line of these settings belongs to, in the
// paper's order.
std::vector<PaperTable> paper_beside(const std::vector<ReportedSetting>& settings);

}  // namespace gps
