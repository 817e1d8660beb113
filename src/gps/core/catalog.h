// What a family of plug-ins (benchmarks, learners, policies, futures) tells about each of its
// members: one entry a line in the family's own catalog.cpp, shown by `gpscl list`, iterated over
// by the contract tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gps/core/errors.h"
#include "gps/core/text.h"

namespace gps {

struct Entry {
  std::string name;
  std::string paper;    // what the paper calls it
  std::string summary;  // one or two sentences
  std::string options;  // the options of `gpscl run` that concern it; may be empty
};

using Catalog = std::vector<Entry>;

inline std::vector<std::string> names(const Catalog& catalog) {
  std::vector<std::string> all;
  for (const Entry& entry : catalog) all.push_back(entry.name);
  return all;
}

// The entry called `name`. Throws UsageError listing the known names: "unknown policy 'x'; known:
// a, b".
inline const Entry& find(const Catalog& catalog, std::string_view family, std::string_view name) {
  for (const Entry& entry : catalog) {
    if (entry.name == name) return entry;
  }
  throw UsageError("unknown " + std::string(family) + " '" + std::string(name) +
                   "'; known: " + join(names(catalog)));
}

}  // namespace gps
