// Words of a command line that people may copy into a shell.
#pragma once

#include <string>

#include "gps/core/text.h"

namespace gps {

// The word as a shell must be given it: plain ones as they are, others in single quotes.
inline std::string shell_quoted(const std::string& word) {
  constexpr const char* kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:,=+";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  return "'" + join(split(word, '\''), R"('\'')") + "'";
}

}  // namespace gps
