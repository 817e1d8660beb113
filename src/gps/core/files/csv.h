// Reads and writes comma-separated values as in RFC 4180: fields in quotes may hold commas, line
// ends and doubled quotes; lines end in LF or CRLF. A byte-order mark at the beginning and empty
// lines are skipped.
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

// Returns the text as a field of a file: in quotes if it has commas, quotes or line ends.
std::string csv_field(const std::string& text);

// Spreadsheets execute a cell that begins with = + - @, a tab or CR as a formula, unless it is a
// number. Returns such a text, for example the name of a class, with an apostrophe before it.
// Numbers ("-1.5", "+3"), these characters alone, and all other texts are unchanged.
std::string guarded_text(const std::string& text);

// Returns the text of which guarded_text() has made the field.
std::string unguarded_text(const std::string& field);

}  // namespace gps
