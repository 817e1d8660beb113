// What `gpscl run` and `gpscl sweep` do before and after the work in the same way.
#pragma once

#include <filesystem>
#include <string>

#include "gps/core/work/executor.h"
#include "gps/experiments/scheduling/cluster_worker.h"

namespace gps::cli {

// Makes the folder that the option names, or says why not, before hours of work want to be kept in
// it. Throws UsageError.
void prepare_folder(const std::filesystem::path& folder, const std::string& option = "--out");

// As many workers as --jobs says; 0: one a core, of those that the ranks of this machine share.
int workers_for(int jobs, const Cluster* cluster);

// Who works: this process, or all ranks of the cluster.
struct Workforce {
  std::unique_ptr<Executor> executor;  // as many workers as there are in all
  std::unique_ptr<Worker> worker;
};
Workforce hire(Cluster* cluster, std::span<const Job> jobs, const std::filesystem::path& data,
               int workers, Searches searches, StopFlag& stop);

// Reads the data of all jobs, showing how it goes where that takes long.
std::unique_ptr<Worker> local_worker(std::span<const Job> jobs, const std::filesystem::path& data,
                                     Executor& executor, const StopFlag& stop);

// look_at_stream() with so many workers (0: one a core), showing a terminal how it goes.
OwnStream look_at_images(const std::string& path, const OwnStreamOptions& asked, int jobs);

// "accuracy 85.12 %"
std::string accuracy_of(const RunResult& result);

// "warning: …", one for each that the result has, for a command line.
std::vector<std::string> warning_lines(const RunResult& result);

}  // namespace gps::cli
