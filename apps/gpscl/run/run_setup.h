// The parts of `gpscl run` and `gpscl sweep` that are the same before and after the work.
#pragma once

#include <filesystem>
#include <string>

#include "gps/core/work/executor.h"
#include "gps/experiments/scheduling/cluster_worker.h"

namespace gps::cli {

// Makes the folder that the option names and checks that it can be written. To be called before the
// work starts. Throws UsageError.
void prepare_folder(const std::filesystem::path& folder, const std::string& option = "--out");

// Returns the number of workers that --jobs gives. For 0 it is one per core; the ranks of one
// machine share its cores.
int workers_for(int jobs, const Cluster* cluster);

// The workers: this process, or all ranks of the cluster.
struct Workforce {
  std::unique_ptr<Executor> executor;  // one thread per worker of all ranks
  std::unique_ptr<Worker> worker;
};
Workforce hire(Cluster* cluster, std::span<const Job> jobs, const std::filesystem::path& data,
               int workers, Searches searches, StopFlag& stop);

// Reads the data of all jobs, and shows the progress if that takes long.
std::unique_ptr<Worker> local_worker(std::span<const Job> jobs, const std::filesystem::path& data,
                                     Executor& executor, const StopFlag& stop);

// Calls look_at_stream() with `jobs` workers (0: one per core), and shows the progress on a
// terminal.
OwnStream look_at_images(const std::string& path, const OwnStreamOptions& asked, int jobs);

// Returns for example "accuracy 85.12 %".
std::string accuracy_of(const RunResult& result);

// Returns one line "warning: …" for each warning of the result, for a command line.
std::vector<std::string> warning_lines(const RunResult& result);

}  // namespace gps::cli
