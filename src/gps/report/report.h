// What a report is about: the runs of a store, their results, which of them belong together, and
// the analyses recorded beside them.
// The page (page.h) and the pieces for a paper (pieces.h) are made of it.
#pragma once

#include "gps/experiments/store/store.h"
#include "gps/report/analyses.h"
#include "gps/report/labels.h"
#include "gps/report/page/contact_sheet.h"
#include "gps/report/tables/table.h"

namespace gps {

struct ReportedRun {
  StoredRun run;                    // without the text of its result
  std::optional<RunResult> result;  // none unless it is done and can be read
  std::string command;              // that repeats it
  std::optional<ContactSheet> sheet;
};

struct Report {
  std::string store;              // its name
  std::string made;               // when
  std::vector<ReportedRun> runs;  // latest first
  std::size_t sheets_left_out = 0;
  std::vector<ReportedAnalysis> analyses{};  // likewise
};

// All seeds of one spec within a setting: a line of the table of compare().
struct ReportedLine {
  std::string label;
  std::vector<const RunResult*> seeds;  // in order of their seeds
  std::vector<std::int64_t> ids;        // of the same runs
};

struct ReportedSetting {
  ComparableResults comparable;
  std::vector<std::string> labels;  // of the results
  Table table;                      // as `gpscl runs compare` has it
  std::vector<ReportedLine> lines;  // which point into `comparable`
};

// The settings in the order, with the labels and the numbers of `gpscl runs compare`.
std::vector<ReportedSetting> settings_of(const Report& report);

}  // namespace gps
