#include "gps/core/files/csv.h"

#include <algorithm>

#include "gps/core/errors.h"
#include "gps/core/text/numbers.h"
#include "gps/core/text/text.h"

namespace gps {
namespace {

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : rest_(text), name_(name) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  }

  std::vector<CsvRow> rows() {
    std::vector<CsvRow> all;
    while (!rest_.empty()) {
      CsvRow row{{}, line_};
      do {
        row.fields.push_back(rest_.starts_with('"') ? quoted() : plain());
      } while (take(','));
      end_line();
      if (row.fields.size() > 1 || !row.fields.front().empty()) all.push_back(std::move(row));
    }
    return all;
  }

 private:
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string plain() {
    std::string field(rest_.substr(0, rest_.find_first_of(",\n")));
    rest_.remove_prefix(field.size());
    const bool is_last = rest_.empty() || rest_.front() == '\n';
    if (is_last && field.ends_with('\r')) field.pop_back();
    if (field.find('"') != std::string::npos)
      fail(line_, "a quote within a field; expected the whole field in quotes");
    return field;
  }

  std::string quoted() {
    const int begin = line_;
    std::string field;
    take('"');
    while (true) {
      const std::size_t end = rest_.find('"');
      if (end == std::string_view::npos) fail(begin, "an opening quote without a closing one");
      for (const char c : rest_.substr(0, end)) line_ += c == '\n' ? 1 : 0;
      field += rest_.substr(0, end);
      rest_.remove_prefix(end + 1);
      if (!take('"')) return field;
      field += '"';
    }
  }

  void end_line() {
    take('\r');
    if (rest_.empty()) return;
    if (!take('\n')) fail(line_, "text between a closing quote and the next comma");
    ++line_;
  }

  [[noreturn]] void fail(int line, const std::string& what) const {
    throw DataError(name_ + ":" + std::to_string(line) + ": " + what);
  }

  std::string_view rest_;
  const std::string& name_;
  int line_ = 1;
};

bool is_number_with_sign(std::string_view text) {
  text.remove_prefix(1);
  constexpr std::string_view kFirst = "0123456789.";  // "-inf" is a name
  return !text.empty() && kFirst.find(text.front()) != std::string_view::npos &&
         parse_number<double>(text).has_value();
}

// Apostrophes at the beginning do not count, so that a guard can be told from a name with one.
bool begins_like_a_formula(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of('\''), text.size()));
  constexpr std::string_view kFirst = "=+-@\t\r";
  return text.size() > 1 && kFirst.find(text.front()) != std::string_view::npos &&
         !is_number_with_sign(text);
}

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return '"' + join(split(text, '"'), "\"\"") + '"';
}

std::string guarded_text(const std::string& text) {
  return begins_like_a_formula(text) ? "'" + text : text;
}

std::string unguarded_text(const std::string& field) {
  return field.starts_with('\'') && begins_like_a_formula(field) ? field.substr(1) : field;
}

std::vector<CsvRow> parse_csv(std::string_view text, const std::string& name) {
  return Parser(text, name).rows();
}

}  // namespace gps
