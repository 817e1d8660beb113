// The report as one self-contained HTML page: the template of report-ui/ with the data inserted.
//
// The data are two JSON texts; report-ui/src/data.ts defines their types. The overview is plain
// text and has what tables and most charts show. Statistics are computed here, not in the page, and
// formatted numbers are those of `gpscl runs compare` and `gpscl runs show`. The details are
// gzipped and have the data of single runs (page_details.h), as far as there is room.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "gps/report/report.h"

namespace gps {

constexpr double kRoomForDetails = 3e6;  // bytes

nlohmann::json overview_json(const Report& report);

struct Page {
  std::string html;
  std::size_t details_left_out = 0;  // runs whose details did not fit
};

// `page` is page_template(). `room` is the number of bytes that details may take in the page. Mean
// accuracy matrices are included first, then one run of each spec, then a second of each, and so
// on. Names and errors in the data can neither end a script element nor become markup.
Page html_page(std::string_view page, const Report& report, double room = kRoomForDetails);

}  // namespace gps
