// Regular expressions (POSIX, extended). GCC 12 warns about std::regex itself where sanitizers are
// on, and warnings are errors here.
#pragma once

#include <regex.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

namespace gps::testing {

// What the given group of the pattern matched, for each match in the text; group 0 is all of it.
inline std::vector<std::string> all_matches(const std::string& text, const std::string& pattern,
                                            std::size_t group = 0) {
  regex_t compiled;
  if (regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NEWLINE) != 0)
    throw std::invalid_argument("no regular expression: " + pattern);
  std::vector<std::string> found;
  std::array<regmatch_t, 8> at{};
  const char* rest = text.c_str();
  int flags = 0;
  while (regexec(&compiled, rest, at.size(), at.data(), flags) == 0 && at[0].rm_eo > at[0].rm_so) {
    flags = REG_NOTBOL;  // from now on the rest starts in the middle of a line
    found.emplace_back(rest + at[group].rm_so, rest + at[group].rm_eo);
    rest += at[0].rm_eo;
  }
  regfree(&compiled);
  return found;
}

}  // namespace gps::testing
