// The options of `gpscl run`. They are read and checked before any work starts. Options of a spec
// come from the table of experiments/spec_options.h; others, such as --out, from a table here.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gps/experiments/checkpoint.h"
#include "gps/experiments/export/export.h"
#include "gps/experiments/spec_options.h"

namespace gps::cli {

// Thrown for an option that none of the chosen learners, policies and networks uses.
class Irrelevant : public OptionError {
 public:
  using OptionError::OptionError;
};

// Why something was refused.
struct Reason {
  explicit Reason(const UsageError& error);

  std::string flag;     // the option that causes it, if there is one
  std::string message;  // "`memory` must be at least 1, got 0"
  std::string problem;  // the same without the option: "must be at least 1, got 0"
};

// A learner and a policy that cannot be combined with each other or with the other options.
struct Impossible {
  std::string learner;
  std::string policy;  // as the user named it
  Reason reason;
};

// What a caller may leave out instead of refusing everything.
struct LeftOut {
  std::vector<Impossible> impossible;
  std::vector<Irrelevant> irrelevant;   // given options without effect
  std::set<std::string> defaults = {};  // by the caller: given options that may have no effect
};

// The most runs that one command or one sweep file can have.
inline constexpr int kMostRuns = 100'000;

// The options that do not belong to a spec.
struct RunArguments {
  std::string learner_list = "er";  // one or several, separated by commas
  std::string policy_list;          // likewise; empty: the default of the learner
  std::string preset = "paper";
  int seeds = 1;
  int seed = -1;  // a single seed; -1: use seeds 0, 1, …
  int jobs = 0;   // 0: one per core
  std::string data;
  std::string out = "results";
  std::string store;  // empty: in `out`
  bool resume = false;
  bool restart = false;
  std::string checkpoint_every = "5";
  std::string export_list;  // model, memory or both; empty: nothing
  bool json = false;
  bool picture = false;
  std::string tensorboard;  // empty: write no event files
};
const OptionTable<RunArguments>& run_arguments();

class RunOptions : public RunArguments {
 public:
  bool wants_help = false;
  bool wants_all_help = false;
  std::string benchmark;    // a name, or the path of the user's own images
  std::vector<Spec> bases;  // one per learner: the part that its specs share
  std::vector<std::string> learners = {"er"};
  std::vector<std::string> policies;
  std::optional<CheckpointOptions> checkpoints;  // empty: keep no checkpoints
  ExportOptions exported;
  std::map<std::string, std::string> given;  // given options: text by flag, without dashes
  std::vector<std::string> command_line;     // the words that the user typed, quoted for a shell

  // Inspects the user's own images. Callers that already know the result can replace it.
  std::function<OwnStream(const std::string& path, const OwnStreamOptions& asked)> look;

  // Binds the options to a sub-command. The object must outlive the parsing.
  void add_to(CLI::App& command);

  bool was_given(const std::string& flag) const { return given.contains(flag); }

  // Applies the preset first and then the given options. To be called after parsing. Throws
  // UsageError. If `left_out` is given, options without effect are added to it instead of refused.
  void resolve(LeftOut* left_out = nullptr);

  // Returns one validated spec for each learner and policy, in the order in which they were named.
  // Throws UsageError for an invalid combination or an option without effect. If `left_out` is
  // given, these are left out and added to it instead.
  std::vector<Spec> specs(LeftOut* left_out = nullptr) const;
  std::vector<std::uint64_t> all_seeds() const;

 private:
  void read_arguments();
  BenchmarkOptions stream(LeftOut* left_out) const;
  void check_arguments() const;
  std::vector<std::string> policies_for(const std::string& learner) const;
  bool policies_are_of_use() const;
  void check_policies_are_of_use(LeftOut* left_out) const;
  void check_variants() const;
  void leave_out_defaults(Spec& spec, const LeftOut& left_out) const;
  void check_relevance(std::vector<Spec>& specs, LeftOut* left_out) const;
};

// Parses --checkpoint-every: "5" minutes, "0" for the ends of tasks only, "50steps", or "off".
// Returns nothing for "off". Throws UsageError.
std::optional<CheckpointOptions> parse_checkpoints(const std::string& text);

// Returns where runs are recorded: `store`, which may be the folder of a store, or runs.sqlite in
// `out` if `store` is empty.
std::filesystem::path store_path(const std::filesystem::path& store,
                                 const std::filesystem::path& out);

// Returns all options of `gpscl run` that start with --, in the order of the help, except the help
// flags.
std::vector<Option> all_run_options();

// The first page of the help, and the help with every option.
std::string run_help();
std::string run_help_all();

}  // namespace gps::cli
