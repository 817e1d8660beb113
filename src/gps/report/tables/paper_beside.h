// What the paper prints beside what our runs reached.
#pragma once

#include "gps/report/report.h"

namespace gps {

struct PaperTable {
  std::string title;  // "Table 1"
  Table table;        // the paper's name of it, our runs, seeds, ours, the paper's, the difference
  std::vector<std::vector<std::int64_t>> runs;  // of each row below the head, by their numbers
};

// One table for each item of the paper that some line of these settings belongs to, in the paper's
// order.
std::vector<PaperTable> paper_beside(const std::vector<ReportedSetting>& settings);

}  // namespace gps
