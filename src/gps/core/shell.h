// Quotes words of a command line so that people can copy it into a shell.
#pragma once

#include <string>

#include "gps/core/text.h"

namespace gps {

// Returns a plain word as it is, and any other word in single quotes.
inline std::string shell_quoted(const std::string& word) {
  constexpr const char* kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:,=+";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  return "'" + join(split(word, '\''), R"('\'')") + "'";
}

}  // namespace gps
