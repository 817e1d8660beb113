// Words the mistakes that CLI11 finds on a command line. No message of CLI11 itself reaches a user.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gps::cli {

// Returns one line that says what is wrong: "unknown option --polcy; did you mean --policy?".
// REQUIRES: `app` has just thrown `error` while parsing.
std::string parse_refusal(const CLI::ParseError& error, const CLI::App& app);

// Throws UsageError if a word gives a value to an option that takes none: --resume=true. CLI11
// would take some values. To be called before `app` parses the words.
void check_flags(const std::vector<std::string>& words, const CLI::App& app);

}  // namespace gps::cli
