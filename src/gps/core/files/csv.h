// Reads comma-separated values as in RFC 4180: fields in quotes may hold commas, line ends and
// doubled quotes; lines end in LF or CRLF. A byte-order mark at the beginning and empty lines are
// skipped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gps {

struct CsvRow {
  std::vector<std::string> fields;
  int line = 0;  // where it begins, counted from 1
};

// Throws DataError "NAME:LINE: …" for a quote that is never closed or is not allowed where it
// stands.
std::vector<CsvRow> parse_csv(std::string_view text, const std::string& name);

}  // namespace gps
