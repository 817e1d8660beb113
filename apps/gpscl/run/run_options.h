// The options of `gpscl run`, read and checked before any work starts. Those of a spec come from
// the table of experiments/spec_options.h; the program's own, such as --out, from a table here.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gps/experiments/checkpoint.h"
#include "gps/experiments/export/export.h"
#include "gps/experiments/spec_options.h"

namespace gps::cli {

// An option that none of the chosen learners, policies and networks looks at.
class Irrelevant : public OptionError {
 public:
  using OptionError::OptionError;
};

// A learner and a policy that cannot be together, or not with the other options.
struct Impossible {
  std::string learner;
  std::string policy;  // as it was named
  std::string flag;    // of the option that is to blame, where one is
  std::string reason;
};

// What the program does with runs, apart from what they are.
struct RunArguments {
  std::string learner = "er";  // one or several, with commas
  std::string policy;          // likewise; empty: the learner's own
  std::string preset = "paper";
  int seeds = 1;
  int seed = -1;  // a single one; -1: seeds 0, 1, …
  int jobs = 0;   // 0: one a core
  std::string data;
  std::string out = "results";
  std::string store;  // empty: in `out`
  bool resume = false;
  bool restart = false;
  std::string checkpoint_every = "5";
  std::string exported;  // --export
  bool json = false;
  bool picture = false;
  std::string tensorboard;  // empty: nothing for it
};
const OptionTable<RunArguments>& run_arguments();

class RunOptions {
 public:
  bool wants_help = false;
  bool wants_all_help = false;
  std::string benchmark;    // a name, or the path of one's own images
  std::vector<Spec> bases;  // one a learner: what its specs share
  std::vector<std::string> learners = {"er"};
  std::vector<std::string> policies;
  std::string preset;
  int seeds = 1;
  int seed = -1;
  int jobs = 0;
  std::filesystem::path data;
  std::filesystem::path out;
  std::filesystem::path store;
  bool resume = false;
  bool restart = false;
  std::optional<CheckpointOptions> checkpoints;  // nothing: none are kept
  bool json = false;
  bool picture = false;
  ExportOptions exported;
  std::filesystem::path tensorboard;
  std::map<std::string, std::string> given;  // what the user said: text by flag, without dashes
  std::vector<std::string> command_line;     // all that the user typed, quoted for a shell

  // How one's own images are looked at; to be replaced by who knows already what is there.
  std::function<OwnStream(const std::string& path, const OwnStreamOptions& asked)> look;

  // Binds the options to a sub-command. The object must outlive the parsing.
  void add_to(CLI::App& command);

  bool was_given(const std::string& flag) const { return given.contains(flag); }

  // After parsing: the preset first, then what the user said. Throws UsageError.
  void resolve();

  // One spec for each learner and policy, validated, in the order in which they were named. Throws
  // UsageError; with a place for them, what cannot be is left out and put there.
  std::vector<Spec> specs(std::vector<Impossible>* impossible = nullptr) const;
  std::vector<std::uint64_t> all_seeds() const;

 private:
  void read_arguments();
  BenchmarkOptions stream() const;
  void check_arguments() const;
  std::vector<std::string> policies_for(const std::string& learner) const;
  void check_policies_are_of_use() const;
  void check_variants() const;
  void check_relevance(const std::vector<Spec>& specs) const;
};

// How often checkpoints are kept, as --checkpoint-every says it: "5" minutes, "0" for task ends
// only, "50steps", or "off". Throws UsageError.
std::optional<CheckpointOptions> parse_checkpoints(const std::string& text);

// Where runs are recorded: `store`, or runs.sqlite in `out`.
std::filesystem::path store_path(const std::filesystem::path& store,
                                 const std::filesystem::path& out);

// Every option of `gpscl run` that is no word of its own, in the order of the help.
std::vector<Option> all_run_options();

// What fits a screen, and every option.
std::string run_help();
std::string run_help_all();

}  // namespace gps::cli
