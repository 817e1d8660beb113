// Reads numbers from text in the same way in every locale: with a decimal point and without
// thousands separators. Blanks and plus signs are not accepted; a minus sign only for signed types.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace gps {

template <typename Number>
struct NumberRead {
  Number value{};                // 0 if none was read
  std::size_t length = 0;        // length of the number in the text; 0 if there is none
  bool is_out_of_range = false;  // for the type; `value` is then 0
};

// Reads the number at the beginning of the text.
template <typename Number>
NumberRead<Number> read_number(std::string_view text) {
  NumberRead<Number> read;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read.value);
  read.length = static_cast<std::size_t>(end - text.data());
  read.is_out_of_range = error == std::errc::result_out_of_range;
  return read;
}

// Reads the whole text as a number. Returns nothing if it is not a number or out of range.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  const auto read = read_number<Number>(text);
  if (read.length == 0 || read.length != text.size() || read.is_out_of_range) return std::nullopt;
  return read.value;
}

// Returns a whole number that is written with an exponent without it: "1000" for "1e3" and "1500"
// for "1.5e3". Returns any other text as it is, also "1.5e0", which is not a whole number.
inline std::string without_exponent(std::string_view text) {
  constexpr int kMostZeros = 30;
  std::string as_it_is(text);
  const std::size_t at = text.find_first_of("eE");
  if (at == std::string_view::npos) return as_it_is;
  std::string_view power = text.substr(at + 1);
  if (power.starts_with('+')) power.remove_prefix(1);
  const std::optional<int> exponent = parse_number<int>(power);
  if (!exponent || *exponent < 0 || *exponent > kMostZeros) return as_it_is;
  const std::string_view number = text.substr(0, at);
  const std::size_t point = number.find('.');
  const std::string_view whole = number.substr(0, point);
  std::string_view fraction =
      point == std::string_view::npos ? std::string_view() : number.substr(point + 1);
  if ((whole.empty() || whole == "-") && fraction.empty()) return as_it_is;
  while (fraction.ends_with('0')) fraction.remove_suffix(1);
  const auto zeros = static_cast<std::size_t>(*exponent);
  if (fraction.size() > zeros) return as_it_is;
  return std::string(whole).append(fraction).append(zeros - fraction.size(), '0');
}

}  // namespace gps
