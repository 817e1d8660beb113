// The page of report-ui/ as one text, bundled when the program is built. It is empty if the program
// was built without it (GPSCL_REPORT is off, or npm was not found).
#pragma once

#include <string_view>

namespace gps {

std::string_view page_template();

}  // namespace gps
