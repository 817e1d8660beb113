// The options of `gpscl run`, read and checked before any work starts.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gps/experiments/checkpoint.h"
#include "gps/experiments/export.h"
#include "gps/experiments/spec.h"

namespace gps::cli {

// An option that none of the chosen learners or policies looks at.
class Irrelevant : public UsageError {
 public:
  Irrelevant(std::string irrelevant_option, const std::string& message)
      : UsageError(message), option(std::move(irrelevant_option)) {}
  std::string option;
};

// A learner and a policy that cannot be together, or not with the other options.
struct Impossible {
  std::string learner;
  std::string policy;  // as it was named
  std::string reason;
};

class RunOptions {
 public:
  bool wants_help = false;
  bool wants_all_help = false;
  Spec base;                // what the options are bound to
  std::vector<Spec> bases;  // one a learner: what its specs share
  OwnStreamOptions own;     // what is said of one's own images
  std::vector<std::string> learners = {"er"};
  std::vector<std::string> policies;
  int seeds = 1;
  int seed = -1;  // a single one; -1: seeds 0, 1, …
  int jobs = 0;   // 0: one a core
  std::filesystem::path data;
  std::filesystem::path out = "results";
  std::filesystem::path store;  // empty: in `out`
  bool resume = false;
  bool restart = false;
  std::optional<CheckpointOptions> checkpoints = CheckpointOptions{};  // nothing: none are kept
  bool json = false;
  bool picture = false;
  ExportOptions exported;                 // --export
  std::vector<std::string> given;         // the options that the user named
  std::vector<std::string> command_line;  // all that the user typed, quoted for a shell

  std::string preset = "paper";
  std::vector<std::function<void()>> pending;  // what they say, in the order of their registration

  // How one's own images are looked at; to be replaced by who knows already what is there.
  std::function<OwnStream(const std::string& path, const OwnStreamOptions& asked)> look;

  // Binds the options to a sub-command. The object must outlive the parsing.
  void add_to(CLI::App& command);

  // After parsing: the preset first, then what the user said. Throws UsageError.
  void resolve();

  // One spec for each learner and policy, validated, in the order in which they were named. Throws
  // UsageError; with a place for them, what cannot be is left out and put there.
  std::vector<Spec> specs(std::vector<Impossible>* impossible = nullptr) const;
  std::vector<std::uint64_t> all_seeds() const;

 private:
  bool was_given(const std::string& option) const;
  BenchmarkOptions stream_called(const std::string& name) const;
  void check_seeds_and_jobs() const;
  void check_checkpoints() const;
  std::vector<std::string> policies_for(const std::string& learner) const;
  void check_policies_are_of_use() const;
  void check_learner_options() const;
  void check_policy_options(const std::vector<Spec>& specs) const;
};

// How often checkpoints are kept, as --checkpoint-every says it: "5" minutes, "0" for task ends
// only, "50steps", or "off". Throws UsageError.
std::optional<CheckpointOptions> parse_checkpoints(const std::string& text);

// Where runs are recorded: `store`, or runs.sqlite in `out`.
std::filesystem::path store_path(const std::filesystem::path& store,
                                 const std::filesystem::path& out);

extern const char* const kRunHelp;
extern const char* const kRunHelpAll;

}  // namespace gps::cli
