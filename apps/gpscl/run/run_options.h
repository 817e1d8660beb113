// The options of `gpscl run`. They are read and checked before any work starts. Options of a spec
// come from the table of experiments/spec/spec_options.h; others, such as --out, from a table here.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gps/experiments/checkpoint.h"
#include "gps/experiments/export/export.h"
#include "gps/experiments/spec/spec_request.h"

namespace gps::cli {

// The most runs that one command or one sweep file can have.
inline constexpr int kMostRuns = 100'000;

// The options that do not belong to a spec.
struct RunArguments {
  std::string learner_list = kUsualLearner;  // one or several, separated by commas
  std::string policy_list;                   // likewise; empty: the default of the learner
  std::string preset = kUsualPreset;
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

// The commands that have options of `gpscl run`.
enum class RunCommand { run, plan, probe };

struct RunArgument : BoundOption<RunArguments> {
  // The commands that do not use it, and why, for their refusals. They do not offer it.
  std::map<RunCommand, std::string> refused_by = {};
};
const std::vector<RunArgument>& run_arguments();

class RunOptions : public RunArguments, public SpecRequest {
 public:
  bool wants_help = false;
  bool wants_all_help = false;
  std::optional<CheckpointOptions> checkpoints;  // empty: keep no checkpoints
  ExportOptions exported;
  std::vector<std::string> command_line;  // the words that the user typed, quoted for a shell

  // Binds the options to a sub-command. The object must outlive the parsing. Those that it refuses
  // are in no group of CLI11.
  void add_to(CLI::App& command, RunCommand which = RunCommand::run);

  // Reads the arguments, then applies the preset and the given options (SpecRequest::apply). To be
  // called after parsing. Throws UsageError. If `left_out` is given, options without effect are
  // added to it instead of refused.
  void resolve(LeftOut* left_out = nullptr);

  // As SpecRequest::specs(), after a check of the arguments.
  std::vector<Spec> specs(LeftOut* left_out = nullptr) const;
  std::vector<std::uint64_t> all_seeds() const;

 private:
  void read_arguments();
  void check_arguments() const;

  RunCommand command_ = RunCommand::run;
};

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
