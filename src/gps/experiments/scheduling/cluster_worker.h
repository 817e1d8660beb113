// Runs on the ranks of a cluster. Rank 0 has the plan, the store and the files, and a Worker that
// hands runs out to all ranks, itself included; the others serve it. What is sent: specs and seeds
// one way, progress and results the other. Each rank reads the data by itself.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "gps/experiments/scheduling/cluster.h"
#include "gps/experiments/scheduling/run_many.h"

namespace gps {

// Who does a run that searches (policy gps). Other runs are done by one worker of one rank.
enum class Searches {
  alone,     // likewise: for many runs
  together,  // all ranks, one run at a time, dividing the candidates of each search
};

// For rank 0.
class ClusterWorker final : public Worker {
 public:
  // All ranks open the data of the jobs; `workers` are those of this rank. Throws what
  // LocalWorker() throws here, and TeamError, naming the rank, for what it throws elsewhere.
  ClusterWorker(Cluster& cluster, std::span<const Job> jobs, const std::filesystem::path& data,
                int workers, Searches searches, StopFlag& stop);
  ~ClusterWorker() override;

  // Of all ranks: so many calls of run() can be under way, but for searches that are done together,
  // of which there must be one at a time, and nothing else.
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
  std::vector<std::size_t> load_;             // by rank: runs under way
  std::vector<std::size_t> room_;             // by rank: workers
  std::map<std::uint64_t, Pending> pending_;  // by ticket: runs elsewhere
  std::uint64_t tickets_ = 0;
  std::jthread thread_;  // the last member: ends before the others do
};

// For the other ranks: does what rank 0 asks for, until that leaves. A stop that is requested here
// is one for all ranks. Never throws: what goes wrong is told to rank 0, or ends the whole job.
void serve(Cluster& cluster, const std::filesystem::path& data, int workers,
           StopFlag& stop) noexcept;

}  // namespace gps
