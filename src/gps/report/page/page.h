// The report as one self-contained HTML page: the template of report-ui/ with the data put into it.
//
// The data are two JSON texts, whose types report-ui/src/data.ts spells out. The overview, readable
// as it stands, has what tables and most charts show: statistics are computed here, not in the
// page, and texts of numbers are those of `gpscl runs compare` and `gpscl runs show`. The details,
// gzipped, are what single runs have to show (page_details.h), as far as there is room.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "gps/report/report.h"

namespace gps {

constexpr double kRoomForDetails = 3e6;  // bytes

nlohmann::json overview_json(const Report& report);

struct Page {
  std::string html;
  std::size_t details_left_out = 0;  // runs whose details did not find room
};

// `page` is page_template(). `room`: bytes that details may take, as they stand in the page; one
// run of each spec goes first, then a second of each, and so on. Mean accuracy matrices go before
// all of them. Whatever names and errors the data contain, none of it can end a script element or
// be taken for markup.
Page html_page(std::string_view page, const Report& report, double room = kRoomForDetails);

}  // namespace gps
