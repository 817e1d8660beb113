// Names of the catalogs as GoogleTest wants them: letters, digits and underscores.
#pragma once

#include <cctype>
#include <string>

namespace gps::testing {

inline std::string test_name(const std::string& name) {
  std::string result;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      result += c;
    } else {
      result += c == '+' ? 'p' : '_';
    }
  }
  return result;
}

}  // namespace gps::testing
