// The report in pieces for a paper: tables and charts as files of their own.
#pragma once

#include "gps/report/report.h"

namespace gps {

struct Piece {
  std::string name;  // of the file: "1-p-mnist-10-tasks-memory-1000-accuracy.tex"
  std::string text;
};

// "csv", "md", "latex" (tables) and "svg" (charts).
const std::vector<std::string>& piece_formats();

// For each setting. Tables: final accuracies as `gpscl runs compare` has them; accuracy, forgetting
// and ring share after each task; in CSV the probes behind each switching point as well. One table
// for each of the paper's that there is something to put beside. Charts: the same, the mean
// accuracy matrix of each line, and the parts of its memory. Then the charts of recorded analyses
// (analysis_charts.h), as tables or drawn with bands, and their small tables. In CSV every number
// has a cell of its own: means, deviations and numbers of seeds. REQUIRES: one of the formats
// above.
std::vector<Piece> pieces_of(const Report& report, const std::string& format);

}  // namespace gps
