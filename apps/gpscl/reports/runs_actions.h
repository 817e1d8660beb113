// The actions of `gpscl runs` (runs_command.cpp), and how they find the runs that are meant.
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
  std::string format;
  std::string output;
  std::size_t limit = 50;
};

// All print to standard output, or to --output, and throw UsageError for what does not fit.
void list_runs(const RunsOptions& options);
void show_run(const RunsOptions& options);
void compare_runs(const RunsOptions& options);
void export_runs(const RunsOptions& options);
void remove_runs(const RunsOptions& options);

// A run's id from the command line. Throws UsageError.
std::int64_t id_from(const std::string& text);

// What the options choose. Throws UsageError for an unknown status.
RunFilter filter_from(const RunsOptions& options);

Store open_store(const RunsOptions& options, bool read_only = true);

// Those that fit the filter by what they are now: what a killed process was at is interrupted.
std::vector<StoredRun> runs_now(Store& store, const RunFilter& filter, bool with_results = false);

// A run with its spec and its result, for programs.
nlohmann::json as_json(const StoredRun& run);

}  // namespace gps::cli
