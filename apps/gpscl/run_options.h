// The options of `gpscl run`, read and checked before any work starts.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "gps/experiments/spec.h"

namespace gps::cli {

struct RunOptions {
  bool wants_help = false;
  bool wants_all_help = false;
  Spec base;  // what all specs share
  std::vector<std::string> policies;
  int seeds = 1;
  int seed = -1;  // a single one; -1: seeds 0, 1, …
  int jobs = 0;   // 0: one a core
  std::filesystem::path data;
  std::filesystem::path out = "results";
  bool json = false;
  bool picture = false;
  std::vector<std::string> given;  // the options that the user named

  std::string preset = "paper";
  std::vector<std::function<void()>> pending;  // what they say, in the order of their registration

  // Binds the options to a sub-command. The object must outlive the parsing.
  void add_to(CLI::App& command);

  // After parsing: the preset first, then what the user said. Throws UsageError.
  void resolve();

  // One spec for each policy, validated, in the order in which they were named. Throws UsageError.
  std::vector<Spec> specs() const;
  std::vector<std::uint64_t> all_seeds() const;
};

extern const char* const kRunHelp;
extern const char* const kRunHelpAll;

}  // namespace gps::cli
