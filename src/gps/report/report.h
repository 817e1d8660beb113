// The content of a report: the runs of a store, their results, which of them belong together, and
// the recorded analyses. The page (page.h) and the pieces for a paper (pieces.h) are made from it.
#pragma once

#include "gps/experiments/store/store.h"
#include "gps/report/analyses.h"
#include "gps/report/labels.h"
#include "gps/report/page/contact_sheet.h"
#include "gps/report/tables/table.h"

namespace gps {

struct ReportedRun {
  StoredRun run;                    // without the text of its result
  std::optional<RunResult> result;  // empty unless the run is done and can be read
  std::string command;              // the command that repeats it
  std::optional<ContactSheet> sheet;
};

struct Report {
  std::string store;              // its name
  std::string made;               // date and time
  std::vector<ReportedRun> runs;  // latest first
  std::size_t sheets_left_out = 0;
  std::vector<ReportedAnalysis> analyses{};  // latest first
};

// All seeds of one spec within a setting: a line of the table of compare().
struct ReportedLine {
  std::string label;
  std::vector<const RunResult*> seeds;  // sorted by seed
  std::vector<std::int64_t> ids;        // ids of the same runs
};

struct ReportedSetting {
  ComparableResults comparable;
  std::vector<std::string> labels;  // one per result
  Table table;                      // as in `gpscl runs compare`
  std::vector<ReportedLine> lines;  // they point into `comparable`
};

// Returns the settings, with the order, the labels and the numbers of `gpscl runs compare`.
std::vector<ReportedSetting> settings_of(const Report& report);

}  // namespace gps
