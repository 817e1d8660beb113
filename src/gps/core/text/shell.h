// Quotes words of a command line so that people can copy it into a shell.
#pragma once

#include <string>

#include "gps/core/text/printable.h"
#include "gps/core/text/text.h"

namespace gps {

// Returns a plain word as it is, and any other word in single quotes. A word with control
// characters or bytes that are not UTF-8 is written as $'a\x1bb', so that it can be shown.
inline std::string shell_quoted(const std::string& word) {
  constexpr const char* kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:,=+";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  if (printable(word) != word) {
    const std::string with_slashes = join(split(word, '\\'), R"(\\)");
    return "$'" + printable(join(split(with_slashes, '\''), R"(\')")) + "'";
  }
  return "'" + join(split(word, '\''), R"('\'')") + "'";
}

}  // namespace gps
