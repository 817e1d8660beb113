// A run as the store has it: one row of the table `runs` (docs/result-format.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gps/experiments/result.h"
#include "gps/experiments/store/process.h"

namespace gps {

enum class RunStatus { running, done, failed, interrupted };
std::string name_of(RunStatus status);
std::optional<RunStatus> run_status_from(const std::string& name);

struct RunClaim {
  ProcessId owner;
  double heartbeat = 0;
};

struct StoredRun {
  std::int64_t id = 0;
  std::string hash;  // hash of the spec, as in the name of the result's file
  std::string spec;  // canonical JSON
  std::uint64_t seed = 0;
  std::string version;
  RunStatus status = RunStatus::running;
  std::string benchmark;
  std::string learner;  // run_names() of the spec, like the next two
  std::string policy;   // "gps"
  std::string label;    // "gps:rotation"
  ProcessId owner;      // the process that runs or ran it
  std::string error;    // of a failed run
  std::string result;   // JSON; empty unless the run is done and the result was requested
  std::optional<double> accuracy;
  double seconds = 0;  // how long the run took
  double started = 0;
  double finished = 0;
  double heartbeat = 0;            // last heartbeat of its owner, while it is running
  std::optional<RunClaim> redo{};  // who has claimed it to do it again, alive or not
  std::string damage{};  // what is wrong with the row, "its spec is not JSON"; empty: nothing
};

// Parses the result of a run. Throws DataError that names the run; DamagedResult with the message
// of damage_line() if the row or the result is damaged. REQUIRES: the run was read with its result.
RunResult result_from(const StoredRun& run);

// Returns "run 3 is damaged: its spec is not JSON; gpscl runs rm 3 removes it", or nothing if the
// row is not damaged. With `with_result`, also looks at the result of a finished run. REQUIRES: the
// run was then read with its result.
std::string damage_line(const StoredRun& run, bool with_result = false);

// The same line, for a run whose damage is known.
std::string damaged_run_text(std::int64_t id, const std::string& damage);

struct RunFilter {
  std::vector<std::int64_t> ids;  // an empty field matches all runs
  std::string benchmark;
  std::string learner;
  std::string policy;  // a name or a label
  std::optional<RunStatus> status;
};

}  // namespace gps
