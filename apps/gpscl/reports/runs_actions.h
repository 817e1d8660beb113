// The actions of `gpscl runs` (runs_command.cpp), and functions that find the requested runs.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gps/experiments/store/store.h"

namespace gps::cli {

struct RunsOptions {
  bool wants_help = false;
  bool wants_json = false;
  bool is_sure = false;
  std::string store = "results/runs.sqlite";
  std::vector<std::string> what;
  std::string benchmark;
  std::string learner;
  std::string policy;
  std::string status;
  std::string baseline;
  std::string format;
  std::string output;
  std::size_t limit = 50;
};

// All actions print to standard output or to --output. They throw UsageError for invalid requests.
void list_runs(const RunsOptions& options);
void show_run(const RunsOptions& options);
void compare_runs(const RunsOptions& options);
void export_runs(const RunsOptions& options);
void remove_runs(const RunsOptions& options);

// Parses the id of a run. Throws UsageError.
std::int64_t id_from(const std::string& text);

// Returns the filter that the options define. Throws UsageError for an unknown status.
RunFilter filter_from(const RunsOptions& options);

Store open_store(const RunsOptions& options, bool read_only = true);

// Returns the runs that match the filter, with their current status: a run whose process was killed
// counts as interrupted.
std::vector<StoredRun> runs_now(Store& store, const RunFilter& filter, bool with_results = false);

// Throws DataError if the filter names a benchmark, a learner or a policy of which the store has no
// run at all. The message names those that it has.
void check_names_in_store(Store& store, const RunFilter& filter);

// Removes damaged runs from the list, and prints one line for each on standard error. With
// `with_results`, also those whose results are damaged. REQUIRES: they were then read with their
// results.
void leave_out_damaged(std::vector<StoredRun>& runs, bool with_results = false);

// Returns a run with its spec and its result as JSON. REQUIRES: the run is not damaged.
nlohmann::json as_json(const StoredRun& run);

// Returns the JSON as text for people. Bytes that are not UTF-8 are replaced.
std::string json_text(const nlohmann::json& json);

}  // namespace gps::cli
