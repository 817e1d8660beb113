// Details of single runs on the page: the accuracy matrix, the decisions and the memory of each
// run, and the mean matrix of each line. On a large page, only some runs have them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <set>

#include "gps/report/report.h"

namespace gps {

// Returns {"accuracy", "class_accuracy", "labels", "class_names", "decisions", "memory", "plan",
// "sheet"} of a run with a result; "class_names" only if its classes have names, and "plan" only if
// it was planned. Accuracies are whole numbers of 1/10000. Counts cover only the classes that a
// task has.
nlohmann::json details_json(const ReportedRun& run);

struct PackedDetails {
  std::string
      text;  // base64 of gzip of {"matrices": {"first run of a line": …}, "runs": {"id": …}}
  std::set<std::int64_t> runs;  // the runs that fit
};

// Packs as much as fits into `room` bytes of text, approximately: first the mean matrices of lines
// with several seeds, then one run of each spec (that with the lowest seed), then a second of each,
// and so on.
PackedDetails packed_details(const Report& report, const std::vector<ReportedSetting>& settings,
                             double room);

}  // namespace gps
