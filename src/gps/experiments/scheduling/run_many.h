// Many runs side by side: each is claimed in a store, carried out, and kept the moment it ends, as
// JSON and in the store.
#pragma once

#include <chrono>
#include <memory>
#include <span>

#include "gps/experiments/export/export.h"
#include "gps/experiments/export/tensorboard.h"
#include "gps/experiments/run.h"
#include "gps/experiments/store/store.h"

namespace gps {

struct Job {
  Spec spec;
  std::uint64_t seed = 0;
  std::string label;  // for people
};

// Carries out a claimed run. A worker does not use the plan, the store or the files, so it may be
// on another machine.
class Worker {
 public:
  virtual ~Worker() = default;
  // May be called from several threads at once. Throws what run() throws.
  virtual RunResult run(const Job& job, const RunHooks& hooks) = 0;
};

// This process. Data is read once, when the worker is made, for all jobs that share it, and
// released when the last of them has ended. One network of every kind is made first, so a wrong
// device or file is reported before any work starts. Throws what open_benchmark() and
// make_network() throw.
class LocalWorker final : public Worker {
 public:
  LocalWorker(std::span<const Job> jobs, const std::filesystem::path& data, Executor& executor,
              const LoadHooks& loading = {});
  ~LocalWorker() override;
  RunResult run(const Job& job, const RunHooks& hooks) override;

 private:
  struct Source;
  Executor& executor_;
  std::mutex mutex_;
  std::vector<Source> sources_;
};

enum class JobState {
  open,        // not begun, or interrupted
  done,        // by this call
  was_done,    // the store had it, or its JSON lay in the folder, or another process has done it
  failed,      // in this call
  was_failed,  // the store says so
};

struct JobEnd {
  JobState state = JobState::open;
  std::string error{};           // failed: why
  std::filesystem::path file{};  // done: the JSON
  double seconds = 0;            // done, failed: that it took
};

enum class Redo {
  missing,  // not what the store has, or a JSON of that run in the folder. What another process is
            // doing is waited for, and taken over if that dies.
  unfinished,  // not what has its JSON in the folder; waits for others likewise
  all,         // everything; fails for what another process is doing
};

struct RunManyOptions {
  std::filesystem::path out = "results";  // for the JSON of each run
  Redo what = Redo::missing;
  bool retry_failed = false;  // missing: so is what has failed
  // How often a run keeps its state, in `out` beside where its JSON will be, to go on from there
  // after an interruption; none: never.
  std::optional<CheckpointOptions> checkpoints{};
  ExportOptions exported{};                 // of each run that is done
  TensorboardOptions tensorboard{};         // likewise, and while it goes on
  std::chrono::milliseconds patience{500};  // before asking again what other processes do
};

// Called from any thread, for one job never twice at a time.
struct RunManyHooks {
  std::function<void(std::size_t job)> started;
  std::function<void(std::size_t job, const RunProgress&)> progress;
  std::function<void(std::size_t job, const std::string& line)> tell;  // checkpoints, waiting
  std::function<void(std::size_t job, const JobEnd&, const RunResult* result)> ended;
  // `result` is there if it is done, and if it was and its JSON lay in the folder.
};

// Where the checkpoints of this run are: its JSON file's name, ending in .ckpt.
std::filesystem::path checkpoint_file(const std::filesystem::path& folder, const Spec& spec,
                                      std::uint64_t seed);

// Jobs are begun in the given order. A job that throws is recorded as failed, and the others go on.
// If a file or the store cannot be written, requests the stop and throws DataError; runs that were
// finished before are kept. Also ends early when `stop` is requested. Entry k of the returned list
// belongs to jobs[k].
std::vector<JobEnd> run_many(const std::vector<Job>& jobs, std::span<const std::size_t> order,
                             Worker& worker, Executor& executor, Store& store, StopFlag& stop,
                             const RunManyOptions& options, const RunManyHooks& hooks = {});

}  // namespace gps
