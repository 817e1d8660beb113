// The names of policies that shells offer.
#pragma once

#include <string>
#include <vector>

#include "gps/policies/catalog.h"

namespace gps::cli {

// Returns the policies and their variants, if an option that takes a name distinguishes them:
// gps:offline is included, mixed:0.5 is not.
inline std::vector<std::string> policy_names() {
  std::vector<std::string> all;
  for (const PolicyEntry& entry : policy_catalog()) {
    all.push_back(entry.name);
    for (const std::string& key : entry.variants) {
      const Option* option = find_option(entry.options, key);
      if (option == nullptr || option->kind != OptionKind::name) continue;
      for (const std::string& value : option->names) {
        if (OptionValue(value) != option->usual)
          all.push_back(entry.name + ":" + short_name_of(*option, value));
      }
    }
  }
  return all;
}

}  // namespace gps::cli
