// Reads numbers from text in the same way in every locale: with a decimal point and without
// thousands separators. Blanks and plus signs are not accepted; a minus sign only for signed types.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
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

}  // namespace gps
