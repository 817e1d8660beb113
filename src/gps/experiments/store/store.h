// The store of runs: a SQLite database (WAL) in which every run that was begun has one row. Several
// processes may use it at once, on one machine; docs/result-format.md has the table.
//
// A run is a spec and a seed. A process claims a run before it does it, and only one process gets
// the claim. The claim of a process that is gone can be taken over: at once if it was on this host,
// and after a long time without a heartbeat if it was on another.
//
// Analyses (src/gps/probes) are recorded beside the runs: what was found out about an analysis'
// options and a seed, so that it is not done twice. They take no claims: two processes that do the
// same find the same.
//
// Times are seconds since 1970, and arguments.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gps/core/files/sqlite.h"
#include "gps/experiments/result.h"
#include "gps/experiments/store/process.h"

namespace gps {

enum class RunStatus { running, done, failed, interrupted };
std::string name_of(RunStatus status);

struct StoredRun {
  std::int64_t id = 0;
  std::string hash;  // of the spec, as in the name of the result's file
  std::string spec;  // canonical JSON
  std::uint64_t seed = 0;
  std::string version;
  RunStatus status = RunStatus::running;
  std::string benchmark;
  std::string learner;
  std::string policy;  // "gps"
  std::string label;   // "gps:rotation"
  ProcessId owner;     // who runs it, or ran it
  std::string error;   // of a failed run
  std::string result;  // JSON; "" unless it is done or asked for
  std::optional<double> accuracy;
  double seconds = 0;  // that the run took
  double started = 0;
  double finished = 0;
  double heartbeat = 0;  // of its owner, while it is running
};

struct StoredAnalysis {
  std::int64_t id = 0;
  std::string kind;     // "ring-size"
  std::string hash;     // of the options, eight hexadecimal digits
  std::string options;  // canonical JSON: equal options give equal text
  std::uint64_t seed = 0;
  std::string version{};
  std::string result;  // JSON
  double seconds = 0;  // that it took
  double finished = 0;
};

// The result of a run that was found with it. Throws DataError that names the run.
RunResult result_from(const StoredRun& run);

struct RunFilter {
  std::vector<std::int64_t> ids;  // each empty: all
  std::string benchmark;
  std::string learner;
  std::string policy;  // a name or a label
  std::optional<RunStatus> status;
};

// What to do where the store has the run already.
struct ClaimRules {
  bool redo_done = false;
  bool redo_failed = false;
};

enum class Claim {
  granted,
  done,
  failed,
  busy,  // another process is at it
};

class Store {
 public:
  static constexpr double kSilence = 300;  // seconds without a heartbeat after which a host is gone

  struct Options {
    bool read_only = false;
    std::chrono::milliseconds patience{10000};  // for others that write
    std::string named_by = "`store` FILE";      // what the user would name another store with
  };

  // Throws DataError for what is no store, is of a later schema, or cannot be used. In the mode
  // read_only, a store that does not exist is a DataError too.
  explicit Store(const std::filesystem::path& path) : Store(path, Options()) {}
  Store(const std::filesystem::path& path, const Options& options);

  const std::filesystem::path& path() const { return database_.path(); }

  // All may be called from any thread. A run that is done stays so, with its result, until another
  // result replaces it: a claim to redo it leaves its row alone.
  Claim claim(const Spec& spec, std::uint64_t seed, const ClaimRules& rules, const ProcessId& owner,
              double now);
  void record_done(const RunResult& result, const ProcessId& owner, double seconds, double now);
  void record_failed(const Spec& spec, std::uint64_t seed, const std::string& error,
                     const ProcessId& owner, double seconds, double now);
  // Gives back what `owner` has claimed and not recorded, for the next one to do.
  void release(const Spec& spec, std::uint64_t seed, const ProcessId& owner, double now);
  void beat(const ProcessId& owner, double now);

  // Latest first; with_results fills StoredRun::result in.
  std::vector<StoredRun> find(const RunFilter& filter, bool with_results = false);
  std::optional<StoredRun> find(const Spec& spec, std::uint64_t seed);
  std::size_t remove(const RunFilter& filter);

  // One record for each kind, options and seed: a later one replaces an earlier one. Fills in id,
  // hash and version.
  void record(const StoredAnalysis& analysis);
  std::optional<StoredAnalysis> find_analysis(const std::string& kind, const std::string& options,
                                              std::uint64_t seed);
  // Latest first; of all kinds if `kind` is empty. A store of schema 1, opened to be read only, has
  // none.
  std::vector<StoredAnalysis> analyses(const std::string& kind = "");

  // Is a process at this run, as far as `self` can tell?
  static bool is_at_work(const StoredRun& run, const ProcessId& self, double now);

  // The status of the run, but for a process that was killed and could not say so: interrupted.
  static RunStatus status_now(const StoredRun& run, const ProcessId& self, double now);

 private:
  static bool is_gone(const ProcessId& owner, double heartbeat, const ProcessId& self, double now);
  bool has_analyses();

  std::mutex mutex_;
  Database database_;
};

}  // namespace gps
