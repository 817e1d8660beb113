// The options of `gpscl run`, read and checked before any work starts.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "gps/experiments/export.h"

namespace gps::cli {

class RunOptions {
 public:
  bool wants_help = false;
  bool wants_all_help = false;
  Spec base;                // what the options are bound to
  std::vector<Spec> bases;  // one a learner: what its specs share
  std::vector<std::string> learners = {"er"};
  std::vector<std::string> policies;
  int seeds = 1;
  int seed = -1;  // a single one; -1: seeds 0, 1, …
  int jobs = 0;   // 0: one a core
  std::filesystem::path data;
  std::filesystem::path out = "results";
  bool json = false;
  bool picture = false;
  ExportOptions exported;          // --export
  std::vector<std::string> given;  // the options that the user named

  std::string preset = "paper";
  std::vector<std::function<void()>> pending;  // what they say, in the order of their registration

  // Binds the options to a sub-command. The object must outlive the parsing.
  void add_to(CLI::App& command);

  // After parsing: the preset first, then what the user said. Throws UsageError.
  void resolve();

  // One spec for each learner and policy, validated, in the order in which they were named. Throws
  // UsageError.
  std::vector<Spec> specs() const;
  std::vector<std::uint64_t> all_seeds() const;

 private:
  bool was_given(const std::string& option) const;
  void check_seeds_and_jobs() const;
  std::vector<std::string> policies_for(const std::string& learner) const;
  void check_learner_options() const;
  void check_policy_options(const std::vector<Spec>& specs) const;
};

extern const char* const kRunHelp;
extern const char* const kRunHelpAll;

}  // namespace gps::cli
