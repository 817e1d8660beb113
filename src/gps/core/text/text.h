// Small helpers for texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gps {

// "a, b, c"
inline std::string join(const std::vector<std::string>& parts, std::string_view separator = ", ") {
  std::string text;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (k > 0) text += separator;
    text += parts[k];
  }
  return text;
}

// "a,b,,c" -> {"a", "b", "", "c"}
inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace gps
