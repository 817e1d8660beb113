// The rows of the table `runs`, in SQL: how they are selected, read and written. For the store
// alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gps/core/files/sqlite.h"
#include "gps/experiments/spec/spec.h"
#include "gps/experiments/store/stored_run.h"

namespace gps {

// What is wrong with a row whose status is none of RunStatus.
inline constexpr const char* kNoStatus = "its status is unknown";

// Returns the columns that run_of() reads, and the result.
std::string run_columns(bool has_checksums, bool with_result);
StoredRun run_of(const Statement& row);

// Returns the conditions of the filter. `values` gets the values of their parameters, in order.
std::string where(const RunFilter& filter, std::vector<std::string>& values);

// What a run has ended with.
struct RunEnd {
  std::optional<std::string> error;
  std::optional<std::string> result;
  std::optional<double> accuracy;
  std::optional<double> seconds;
  std::optional<double> finished;
};

// Inserts or replaces the row of a run. `guard` is a condition under which it may be replaced.
void write_run(Database& database, const Spec& spec, std::uint64_t seed, RunStatus status,
               const ProcessId& owner, double now, const RunEnd& end,
               const std::string& guard = "");

}  // namespace gps
