// Wraps long texts.
#pragma once

#include <string>

#include "gps/core/text/text.h"

namespace gps::cli {

// Breaks a text into lines of at most `width` characters. All lines except the first are indented.
inline std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string result;
  std::size_t column = indent;
  for (const std::string& word : split(text, ' ')) {
    if (column + word.size() + 1 > width && column > indent) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += " ";
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}

}  // namespace gps::cli
