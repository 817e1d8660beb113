// CSV: what was read is the same when it is written with quotes and read again.
#include "fuzz/fuzz.h"
#include "gps/core/files/csv.h"

namespace gps::fuzz {
namespace {

std::string quoted(const std::vector<CsvRow>& rows) {
  std::string text;
  for (const CsvRow& row : rows) {
    for (std::size_t k = 0; k < row.fields.size(); ++k) {
      text += k > 0 ? ",\"" : "\"";
      for (const char c : row.fields[k]) text += c == '"' ? std::string("\"\"") : std::string(1, c);
      text += '"';
    }
    text += '\n';
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<CsvRow> rows;
  if (!is_readable([&] { rows = parse_csv(text_of(data, size), "fuzz.csv"); })) return 0;
  const std::vector<CsvRow> again = parse_csv(quoted(rows), "fuzz.csv");
  require(again.size() == rows.size(), "there are as many rows");
  for (std::size_t k = 0; k < rows.size(); ++k)
    require(again[k].fields == rows[k].fields, "a row has the same fields");
  return 0;
}

}  // namespace gps::fuzz
