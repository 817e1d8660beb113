// Comma-separated values as RFC 4180 has them: fields in quotes may hold commas, line ends and
// doubled quotes; lines end in LF or CRLF; a byte-order mark at the beginning is passed over, and
// so are empty lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gps {

struct CsvRow {
  std::vector<std::string> fields;
  int line = 0;  // on which it begins, from 1
};

// Throws DataError "NAME:LINE: …" for a quote that is never closed, or stands where none may.
std::vector<CsvRow> parse_csv(std::string_view text, const std::string& name);

}  // namespace gps
