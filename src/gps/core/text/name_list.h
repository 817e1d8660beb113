// Lists of names.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace gps {

inline bool has_name(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// Throws OptionError, "must be one of text, csv, got 'cvs'; did you mean 'csv'?", as for an option
// with these names in its row.
void check_is_one_of(const std::string& flag, const std::string& one,
                     const std::vector<std::string>& all);

}  // namespace gps
