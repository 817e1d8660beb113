// The options of a command as one table of rows (core/option.h). The command line, --help, shell
// completion and the man page are made from the rows.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "gps/core/option_table.h"

namespace gps::cli {

struct CommandTable {
  std::string above;           // the help above the options; its first line is the heading
  std::vector<Option> places;  // positional arguments: rows without a flag, by the key of CLI11
  std::vector<Option> options;
  std::string below;  // the help below the options

  std::string help() const;
};

// A positional argument. Shells offer the names, and files or folders if `value_name` is FILE or
// DIR.
Option place(const std::string& key, const std::string& value_name,
             std::vector<std::string> offered = {});

// The option --jobs, the same in every command that has it. `what` is done at the same time.
template <typename Owner>
BoundOption<Owner> jobs_option(int Owner::*member, const std::string& what) {
  constexpr int kMostJobs = 1024;
  return option("jobs", member, what + " at the same time")
      .between(1, kMostJobs)
      .called("J")
      .usually("all cores");
}

// Returns the option with its value, as the help shows it: "-o, --output FILE".
std::string option_head(const Option& option);

// Returns the explanation and the default: "folder for results (results)".
std::string option_help(const Option& option);

// Registers the options of the table. Values are parsed and checked as the rows say, and stored in
// `owner`, which must outlive the parsing. Parsing throws OptionError for an invalid value.
template <typename Owner>
void bind(CLI::App& command, const OptionTable<Owner>& table, Owner& owner) {
  for (const BoundOption<Owner>& each : table) {
    const Option& row = each.row;
    const std::string spellings =
        (row.letter.empty() ? "" : "-" + row.letter + ",") + "--" + row.flag;
    if (row.kind == OptionKind::flag) {
      command.add_flag(spellings, [&owner, each](std::int64_t count) {
        each.set(owner, (count > 0) != std::get<bool>(each.row.usual));
      });
    } else {
      command.add_option_function<std::string>(spellings, [&owner, each](const std::string& text) {
        const OptionValue value = parse(each.row, text);
        check(each.row, value);
        each.set(owner, value);
      });
    }
  }
}

}  // namespace gps::cli
