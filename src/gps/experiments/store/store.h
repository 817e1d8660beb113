// The store of runs: an SQLite database (WAL) with one row for every run that was started. Several
// processes on one machine may use it at once. docs/result-format.md describes the table.
//
// A run is a spec and a seed. A process claims a run before it does it, and only one process gets
// the claim. The claim of a process that is gone can be taken over: at once if it was on this host,
// and after a long time without a heartbeat if it was on another. A run that is done can be claimed
// too, to be done again; it stays done meanwhile.
//
// Analyses (src/gps/probes) are recorded beside the runs: the result for an analysis' options and a
// seed, so that it is not done twice. They need no claims: two processes that do the same analysis
// get the same result.
//
// Times are in seconds since 1970 and are passed as arguments.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gps/core/files/sqlite.h"
#include "gps/experiments/result.h"
#include "gps/experiments/store/process.h"
#include "gps/experiments/store/stored_run.h"

namespace gps {

struct StoredAnalysis {
  std::int64_t id = 0;
  std::string kind;     // "ring-size"
  std::string hash;     // hash of the options, eight hexadecimal digits
  std::string options;  // canonical JSON: equal options give equal text
  std::uint64_t seed = 0;
  std::string version{};
  std::string result;  // JSON
  double seconds = 0;  // how long it took
  double finished = 0;
  std::string damage{};  // what is wrong with the row; empty: nothing
};

// What to do if the store already has the run.
struct ClaimRules {
  bool redo_done = false;
  bool redo_failed = false;
};

enum class Claim {
  granted,
  done,
  failed,
  busy,  // another process is doing it
};

// Returns the file of a store: runs.sqlite in `path` if that is a folder that has one, else `path`.
std::filesystem::path store_file(const std::filesystem::path& path);

class Store {
 public:
  static constexpr double kSilence = 300;  // seconds of silence after which a host is gone

  struct Options {
    bool read_only = false;
    std::chrono::milliseconds patience{10000};  // how long to wait for other writers
    std::string named_by = "`store` FILE";      // how the user names another store
  };

  // `path` may also be the folder of a store (store_file()).
  // Throws DataError if the file is not a store, has a later schema, or cannot be used. With
  // read_only, also if it does not exist.
  explicit Store(const std::filesystem::path& path) : Store(path, Options()) {}
  Store(const std::filesystem::path& path, const Options& options);

  const std::filesystem::path& path() const { return database_.path(); }

  // All functions may be called from any thread. A run that is done stays done, with its result,
  // until another result replaces it: a claim to do it again does not change its row. Every outcome
  // below ends the claim of `owner`.
  Claim claim(const Spec& spec, std::uint64_t seed, const ClaimRules& rules, const ProcessId& owner,
              double now);
  void record_done(const RunResult& result, const ProcessId& owner, double seconds, double now);
  void record_failed(const Spec& spec, std::uint64_t seed, const std::string& error,
                     const ProcessId& owner, double seconds, double now);
  // Gives back a claim of `owner` that has no recorded outcome, so that another process can do the
  // run.
  void release(const Spec& spec, std::uint64_t seed, const ProcessId& owner, double now);
  void beat(const ProcessId& owner, double now);

  // Returns the latest run first. with_results fills in StoredRun::result. Damaged rows are among
  // them, with StoredRun::damage; one without a known status counts as interrupted.
  std::vector<StoredRun> find(const RunFilter& filter, bool with_results = false);
  std::optional<StoredRun> find(const Spec& spec, std::uint64_t seed);
  std::size_t remove(const RunFilter& filter);

  // Returns those of the runs whose result has collapsed (RunResult::has_collapsed). Reads their
  // results.
  std::set<std::int64_t> collapsed(std::span<const std::int64_t> ids);

  // Returns the average accuracy among all classes of those of the runs whose tasks have classes of
  // their own (RunResult::class_incremental). Reads their results.
  std::map<std::int64_t, double> among_all(std::span<const std::int64_t> ids);

  // Keeps one record for each kind, options and seed; a later one replaces an earlier one. Fills in
  // id, hash and version.
  void record(const StoredAnalysis& analysis);
  std::optional<StoredAnalysis> find_analysis(const std::string& kind, const std::string& options,
                                              std::uint64_t seed);
  // Returns the latest analysis first, and all kinds if `kind` is empty. Damaged ones are among
  // them, with StoredAnalysis::damage. A store of schema 1 that is opened read-only has none.
  std::vector<StoredAnalysis> analyses(const std::string& kind = "");

  // Returns whether a process is working on this run, for the first time or again, as far as `self`
  // can tell.
  static bool is_at_work(const StoredRun& run, const ProcessId& self, double now);

  // Returns the process that works on this run, or worked on it last.
  static const ProcessId& worker_of(const StoredRun& run);

  // Returns the status of the run, or interrupted if its process was killed and could not record
  // that.
  static RunStatus status_now(const StoredRun& run, const ProcessId& self, double now);

 private:
  static bool is_gone(const RunClaim& claim, const ProcessId& self, double now);
  bool has_table(const std::string& name);
  bool has_redos();
  std::optional<RunClaim> redo_of(const std::string& spec, std::uint64_t seed);
  std::map<std::pair<std::string, std::uint64_t>, RunClaim> redos();  // by spec and seed
  void end_redo(const Spec& spec, std::uint64_t seed, const ProcessId& owner);
  std::vector<StoredRun> rows(const RunFilter& filter, bool with_results);

  std::mutex mutex_;
  Database database_;
  bool has_checksums_ = false;  // false for earlier schemas that are opened read-only
};

}  // namespace gps
