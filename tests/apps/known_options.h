// Options as they stand in a text: those that the help mentions, those that the sources register.
#pragma once

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "apps/matches.h"
#include "apps/program.h"

namespace gps::testing {

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path << " cannot be read";
  return {std::istreambuf_iterator<char>(in), {}};
}

// Every "--word" of the text.
inline std::set<std::string> options_in(const std::string& text) {
  const std::vector<std::string> found = all_matches(text, "--[a-z][a-z-]*[a-z]");
  return {found.begin(), found.end()};
}

inline std::set<std::string> options_in_help() {
  return options_in(gpscl({"run", "--help-all"}).out);
}

}  // namespace gps::testing
