// Does runs on the ranks of a cluster. Rank 0 has the plan, the store and the files, and a Worker
// that distributes runs to all ranks, including itself. The other ranks serve it. Rank 0 sends
// specs and seeds; the others send progress and results. Each rank reads the data itself.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "gps/experiments/scheduling/cluster.h"
#include "gps/experiments/scheduling/run_many.h"

namespace gps {

// How runs that search (policy gps) are done. Other runs are done by one worker of one rank.
enum class Searches {
  alone,     // by one worker of one rank, too: for many runs
  together,  // by all ranks, one run at a time; they divide the candidates of each search
};

// The worker of rank 0.
class ClusterWorker final : public Worker {
 public:
  // All ranks open the data of the jobs. `workers` is the number of workers of this rank. Throws
  // what LocalWorker() throws here, and TeamError, which names the rank, for what it throws on
  // another rank.
  ClusterWorker(Cluster& cluster, std::span<const Job> jobs, const std::filesystem::path& data,
                int workers, Searches searches, StopFlag& stop);
  ~ClusterWorker() override;

  // Returns the number of workers of all ranks, which is how many calls of run() can be active at
  // once. A search that is done together must be the only active call.
  int workers() const { return workers_; }
  RunResult run(const Job& job, const RunHooks& hooks) override;

 private:
  struct Pending;
  RunResult run_together(const Job& job, RunHooks hooks);
  RunResult run_on(std::size_t rank, const Job& job, const RunHooks& hooks);
  void communicate(const std::stop_token& end);

  Cluster& cluster_;
  Searches searches_;
  StopFlag& stop_;
  Executor executor_;  // for the candidates of a search
  std::unique_ptr<LocalWorker> local_;
  int workers_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::size_t> load_;             // by rank: active runs
  std::vector<std::size_t> room_;             // by rank: number of workers
  std::map<std::uint64_t, Pending> pending_;  // by ticket: runs on other ranks
  std::uint64_t tickets_ = 0;
  std::jthread thread_;  // must be the last member, so that it ends first
};

// The work of the other ranks: does what rank 0 asks for, until rank 0 leaves. A stop requested
// here stops all ranks. Never throws: errors are reported to rank 0, or end the whole job.
void serve(Cluster& cluster, const std::filesystem::path& data, int workers,
           StopFlag& stop) noexcept;

}  // namespace gps
