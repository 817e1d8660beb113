// Rows of the library's tables of options and catalogs, for Python.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "gps/core/catalog.h"
#include "gps/core/option.h"

namespace gps::python {

// Returns {"flag", "key", "kind", "default", "names", "help", "group"}. The default is a text, as
// on the command line; that of a flag is True or False.
inline pybind11::dict as_dict(const Option& option, const std::string& group = {}) {
  constexpr const char* kKinds[] = {"flag", "whole",  "large", "real", "name",
                                    "text", "wholes", "reals", "size"};
  pybind11::dict row;
  row["flag"] = option.flag;
  row["key"] = option.key;
  row["kind"] = kKinds[static_cast<std::size_t>(option.kind)];
  if (option.kind == OptionKind::flag) {
    row["default"] = std::get<bool>(option.usual);
  } else {
    row["default"] = option.usual_text.empty() ? text_of(option.usual) : option.usual_text;
  }
  pybind11::list names;
  for (const std::string& name : option.names) names.append(name);
  row["names"] = names;
  row["help"] = option.help;
  row["group"] = group;
  return row;
}

// Returns a list of {"name", "paper", "summary", "options"}.
inline pybind11::list as_list(const Catalog& catalog) {
  pybind11::list all;
  for (const Entry& entry : catalog) {
    pybind11::dict row;
    row["name"] = entry.name;
    row["paper"] = entry.paper;
    row["summary"] = entry.summary;
    pybind11::list flags;
    for (const Option& option : entry.options) flags.append(option.flag);
    row["options"] = flags;
    all.append(row);
  }
  return all;
}

}  // namespace gps::python
