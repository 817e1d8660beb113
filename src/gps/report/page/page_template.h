// The page of report-ui/ as one text, bundled when the program is built; empty where it was built
// without (GPSCL_REPORT is off, or npm was not there).
#pragma once

#include <string_view>

namespace gps {

std::string_view page_template();

}  // namespace gps
