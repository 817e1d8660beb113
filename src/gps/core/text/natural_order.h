// The order in which people list names: "week2" before "week10". It does not depend on the locale.
#pragma once

#include <string_view>

namespace gps {

// Compares runs of digits as numbers and everything else byte by byte. Names that are equal by this
// rule ("a1", "a01") are compared byte by byte. This is a strict total order.
inline bool natural_less(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto number_at = [&](std::string_view text, std::size_t& at) {
    while (at < text.size() && text[at] == '0') ++at;
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return text.substr(begin, at - begin);
  };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string_view left = number_at(a, i);
      const std::string_view right = number_at(b, j);
      if (left.size() != right.size()) return left.size() < right.size();
      if (left != right) return left < right;
    } else {
      if (a[i] != b[j]) return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]);
      ++i;
      ++j;
    }
  }
  const bool a_is_over = i == a.size();
  const bool b_is_over = j == b.size();
  return a_is_over == b_is_over ? a < b : a_is_over;
}

}  // namespace gps
