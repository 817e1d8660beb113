// Does many runs in parallel. Each run is claimed in a store, done, and saved as soon as it ends,
// as JSON and in the store.
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

// Does runs in this process. Data is read once, when the worker is made, for all jobs that share
// it, and released when the last of them has ended. One network and one memory of every kind is
// made first, so a wrong device, file or size is reported before any work starts. Throws what
// open_benchmark(), make_network() and make_memory() throw.
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
  open,        // not started, or interrupted
  done,        // by this call
  was_done,    // in the store, as JSON in the folder, or done by another process
  failed,      // in this call
  was_failed,  // according to the store
};

struct JobEnd {
  JobState state = JobState::open;
  std::string error{};           // failed: why
  std::filesystem::path file{};  // done: the JSON
  double seconds = 0;            // done, failed: how long it took
};

enum class Redo {
  missing,  // runs that are neither in the store nor as JSON in the folder. Waits for runs of other
            // processes, and takes them over if those die.
  unfinished,  // runs without JSON in the folder; waits for others in the same way
  all,         // all runs; fails for a run that another process is doing
};

struct RunManyOptions {
  std::filesystem::path out = "results";  // for the JSON of each run
  Redo what = Redo::missing;
  bool retry_failed = false;  // for Redo::missing: failed runs count as missing
  // How often a run saves its state, in `out` beside its later JSON, so that it can continue after
  // an interruption. Without a value: never.
  std::optional<CheckpointOptions> checkpoints{};
  ExportOptions exported{};                 // for each finished run
  TensorboardOptions tensorboard{};         // likewise, and during the run
  std::chrono::milliseconds patience{500};  // before asking again about other processes
};

// May be called from any thread, but never twice at the same time for one job.
struct RunManyHooks {
  std::function<void(std::size_t job)> started;
  std::function<void(std::size_t job, const RunProgress&)> progress;
  std::function<void(std::size_t job, const std::string& line)> tell;  // checkpoints, waiting
  std::function<void(std::size_t job, const JobEnd&, const RunResult* result)> ended;
  // `result` is not null if the job was done now, or was done before and its JSON is in the folder.
};

// Returns the file for the checkpoints of this run: the name of its JSON file, with the extension
// .ckpt.
std::filesystem::path checkpoint_file(const std::filesystem::path& folder, const Spec& spec,
                                      std::uint64_t seed);

// Returns an order for jobs that are listed seed by seed: the same seeds, and within a seed the
// longest job first, so that all workers end at about the same time. REQUIRES: the number of jobs
// is a multiple of `jobs_a_seed`.
std::vector<std::size_t> longest_first(const std::vector<Job>& jobs, std::size_t jobs_a_seed);

// Starts the jobs in the given order. A job that throws is recorded as failed, and the others
// continue. If a file or the store cannot be written, requests the stop and throws DataError; runs
// that were finished before are kept. Also ends early when `stop` is requested. Entry k of the
// returned list belongs to jobs[k].
std::vector<JobEnd> run_many(const std::vector<Job>& jobs, std::span<const std::size_t> order,
                             Worker& worker, Executor& executor, Store& store, StopFlag& stop,
                             const RunManyOptions& options, const RunManyHooks& hooks = {});

}  // namespace gps
