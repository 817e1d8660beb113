// Numbers in texts: always with a point and without thousands, whatever the locale. No blanks and
// no plus sign are taken; a minus sign only where the type has one.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>

namespace gps {

template <typename Number>
struct NumberRead {
  Number value{};                // 0 where none was read
  std::size_t length = 0;        // of the number in the text; 0: it begins with none
  bool is_out_of_range = false;  // for its type; then `value` is 0
};

// The number that the text begins with.
template <typename Number>
NumberRead<Number> read_number(std::string_view text) {
  NumberRead<Number> read;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read.value);
  read.length = static_cast<std::size_t>(end - text.data());
  read.is_out_of_range = error == std::errc::result_out_of_range;
  return read;
}

// The number that the whole text is; none if it is anything else, or out of range.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  const auto read = read_number<Number>(text);
  if (read.length == 0 || read.length != text.size() || read.is_out_of_range) return std::nullopt;
  return read.value;
}

}  // namespace gps
