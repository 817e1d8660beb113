// A cell of a table: words, or a measured value with the digits that are worth showing. Only this
// class turns numbers into text; table.h defines how cells make a table in each format.
#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "gps/core/statistics.h"

namespace gps {

class Cell {
 public:
  // How the numbers of a cell are combined; '#' stands for a number.
  enum class Form {
    words,      // no number
    missing,    // no number, although there could be one
    number,     // #
    deviation,  // # ± #
    interval,   // # [#, #]
    share,      // # of #
    both,       // # and #
    seconds,    // # s
  };

  Cell(std::string words) : words_(std::move(words)) {}
  Cell(const char* words) : words_(words) {}

  // A cell without a value, which is shown as `shown`.
  static Cell missing(std::string shown = "-");
  static Cell nothing() { return missing(""); }

  // 1000. REQUIRES: value is not negative.
  template <std::integral Whole>
  static Cell count(Whole value) {
    return {Form::number, {{static_cast<std::uint64_t>(value), Notation::exact, 0}}};
  }
  static Cell number(double value, int digits);       // 0.50: digits after the point
  static Cell change(double value, int digits);       // +0.50
  static Cell significant(double value, int digits);  // 0.5: at most this many significant digits
  static Cell exact(double value);                    // with all digits that it needs
  static Cell percent(double share, int digits = 2);  // 0.5 -> 50.00; the head says %
  static Cell percent(const std::optional<double>& share, int digits = 2);
  static Cell seconds(double value, int digits = 1);  // 2.7 s
  // A number that people read as other words: 3725 and "1:02:05", 29515 and "29.5 kB". Programs get
  // the number.
  static Cell said(double value, std::string words);

  // 85.12 ± 0.34, or the mean alone if the deviation is not known or not finite. Missing if there
  // are no values.
  static Cell mean(const Summary& summary, int digits = 2);
  static Cell mean(const std::optional<Summary>& summary, int digits = 2);
  static Cell mean(std::span<const double> values, int digits = 2);
  static Cell mean(const BySeed& values, int digits = 2);

  // +0.58 [-0.54, +1.71]: a difference and its 95 % interval, if it has one.
  static Cell difference(const std::optional<PairedDifference>& paired, int digits = 2);

  // 85.1 [80, 90]
  static Cell within(double value, int digits, const Interval& interval, int interval_digits);

  static Cell share(std::uint64_t some, std::uint64_t all);       // 3 of 5
  static Cell both(double first, double second, int digits = 2);  // 4.20 and 0.31

  Form form() const { return form_; }
  std::string text() const;                  // the whole text
  std::vector<std::string> numbers() const;  // each number as in the text

  // For programs: words as text, one number as a number with all its digits, several numbers as a
  // list, and null if the cell is missing.
  nlohmann::json json() const;

 private:
  enum class Notation { fixed, with_sign, significant, exact };
  struct Number {
    std::variant<double, std::uint64_t> value;
    Notation notation = Notation::exact;
    int digits = 0;
  };

  Cell(Form form, std::vector<Number> numbers) : form_(form), numbers_(std::move(numbers)) {}
  static std::string text_of(const Number& number);

  Form form_ = Form::words;
  std::string words_;
  std::vector<Number> numbers_;
};

}  // namespace gps
