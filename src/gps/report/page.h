// The report as one self-contained HTML page: the template of report-ui/ with the data put into it.
//
// The data are two JSON texts, whose types report-ui/src/data.ts spells out. The overview, readable
// as it stands, has what tables and most charts show: statistics are computed here, not in the
// page, and texts of numbers are those of `gpscl runs compare` and `gpscl runs show`. The details
// of each run, gzipped, have its accuracy matrix, decisions and memory: accuracies as whole numbers
// of 1/10000, counts only of the classes that a task has.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "gps/report/report.h"

namespace gps {

nlohmann::json overview_json(const Report& report);

// {"id of a run": {"accuracy", "class_accuracy", "labels", "decisions", "memory", "sheet"}, …}
nlohmann::json details_json(const Report& report);

// `page` is page_template(). Whatever names and errors the data contain, none of it can end a
// script element or be taken for markup.
std::string html_page(std::string_view page, const Report& report);

}  // namespace gps
