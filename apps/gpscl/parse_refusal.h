// Words the mistakes that CLI11 finds on a command line. No message of CLI11 itself reaches a user.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gps::cli {

// Returns one line that says what is wrong: "unknown option --polcy; did you mean --policy?".
// REQUIRES: `app` has just thrown `error` while parsing the words.
std::string parse_refusal(const CLI::ParseError& error, const std::vector<std::string>& words,
                          const CLI::App& app);

// Throws UsageError if an option without a value is given one (--resume=true), or one that needs a
// value has none (--memory --seed 1). CLI11 would take some of these. To be called before `app`
// parses the words.
void check_values(const std::vector<std::string>& words, const CLI::App& app);

}  // namespace gps::cli
