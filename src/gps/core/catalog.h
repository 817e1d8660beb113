// Each family of plug-ins (benchmarks, learners, policies, futures) has a catalog with one entry
// per member. `gpscl list` shows the entries, and the contract tests go through them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gps/core/errors.h"
#include "gps/core/option.h"
#include "gps/core/text/nearest.h"
#include "gps/core/text/text.h"

namespace gps {

struct Entry {
  std::string name;
  std::string paper;                 // its name in the paper
  std::string summary;               // one or two sentences
  std::vector<Option> options = {};  // its own, or shared with others
};

using Catalog = std::vector<Entry>;

template <typename AnyEntry>
std::vector<std::string> names(const std::vector<AnyEntry>& catalog) {
  std::vector<std::string> all;
  for (const AnyEntry& entry : catalog) all.push_back(entry.name);
  return all;
}

// Returns the entry called `name`. Throws UnknownName that lists the known names and suggests a
// similar one (core/text/nearest.h): "unknown policy 'x'; known: a, b".
template <typename AnyEntry>
const AnyEntry& find(const std::vector<AnyEntry>& catalog, std::string_view family,
                     std::string_view name) {
  for (const AnyEntry& entry : catalog) {
    if (entry.name == name) return entry;
  }
  throw UnknownName(std::string(family), std::string(name),
                    unknown_name_text(family, name, names(catalog)));
}

// Returns the catalog as plain entries, for callers that need no more.
template <typename AnyEntry>
Catalog entries(const std::vector<AnyEntry>& catalog) {
  return {catalog.begin(), catalog.end()};
}

}  // namespace gps
