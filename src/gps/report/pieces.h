// The report in pieces for a paper: tables and charts as separate files.
#pragma once

#include "gps/report/report.h"

namespace gps {

struct Piece {
  std::string name;  // name of the file: "1-p-mnist-10-tasks-memory-1000-accuracy.tex"
  std::string text;
};

// Returns "csv", "md" and "latex" (tables), and "svg" (charts).
const std::vector<std::string>& piece_formats();

// Returns the pieces of each setting. Tables: final accuracies as in `gpscl runs compare`;
// accuracy, forgetting and ring share after each task; in CSV also the probes behind each switching
// point. Charts: the same, the mean accuracy matrix of each line, and the parts of its memory. Then
// come the charts of recorded analyses (analysis_charts.h), as tables or drawn with bands, and
// their small tables. The last tables compare with the paper: one for each of its tables for which
// there are runs. In CSV every number has its own cell: means, deviations and numbers of seeds.
// REQUIRES: one of the formats above.
std::vector<Piece> pieces_of(const Report& report, const std::string& format);

}  // namespace gps
