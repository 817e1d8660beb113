#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "gps/core/errors.h"
#include "gps/core/tell_user.h"
#include "gps/core/text/text.h"
#include "gps/core/work/clock.h"
#include "gps/experiments/store/process.h"
#include "reports/runs_actions.h"

namespace gps::cli {
namespace {

bool agrees(const std::string& question) {
  if (isatty(STDIN_FILENO) == 0)
    throw UsageError(question + " There is no terminal to ask on; use --yes");
  show_user(question + " [y/N] ");
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

// Returns the runs that no process is working on, and prints a line for each of the others. Throws
// UsageError if no run is left.
std::vector<StoredRun> free_runs(std::vector<StoredRun> runs) {
  const double now = seconds_now();
  std::vector<std::string> lines;
  std::erase_if(runs, [&, self = this_process()](const StoredRun& run) {
    if (!Store::is_at_work(run, self, now)) return false;
    const ProcessId& worker = Store::worker_of(run);
    lines.push_back(fmt::format("run {} is not removed: process {} on {} is working on it", run.id,
                                worker.pid, worker.host));
    return true;
  });
  if (runs.empty()) throw UsageError(join(lines, "; "));
  for (const std::string& line : lines) tell_user("gpscl: {}", line);
  return runs;
}

// Removes the result, the checkpoints and the exported files of a run: all files with its seed and
// hash in the name. The spec may be of another version.
void remove_files(const StoredRun& run, const std::filesystem::path& folder) {
  const std::string own = fmt::format("-seed{}-{}.", run.seed, run.hash);
  std::vector<std::filesystem::path> files;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().filename().string().find(own) != std::string::npos && entry.is_regular_file())
      files.push_back(entry.path());
  }
  for (const std::filesystem::path& file : files) std::filesystem::remove(file, ignored);
}

}  // namespace

void remove_runs(const RunsOptions& options) {
  RunFilter filter = filter_from(options);
  for (const std::string& what : options.what) filter.ids.push_back(id_from(what));
  const bool is_everything = filter.ids.empty() && filter.benchmark.empty() &&
                             filter.learner.empty() && filter.policy.empty() && !filter.status;
  if (is_everything)
    throw UsageError("no runs given; name ids, or filters such as --status failed");
  open_store(options);  // throws if the store does not exist, instead of creating it
  Store store = open_store(options, /*read_only=*/false);
  std::vector<StoredRun> runs = runs_now(store, filter);
  if (runs.empty()) throw UsageError(fmt::format("no run in {} matches", store.path().string()));
  runs = free_runs(std::move(runs));
  const std::string question =
      runs.size() == 1
          ? std::string("Remove 1 run and its JSON files permanently?")
          : fmt::format("Remove {} runs and their JSON files permanently?", runs.size());
  if (!options.is_sure && !agrees(question)) return;
  RunFilter those;
  for (const StoredRun& run : runs) those.ids.push_back(run.id);
  if (!options.is_sure) {  // a process may have started meanwhile
    runs = free_runs(store.find(those));
    those.ids.clear();
    for (const StoredRun& run : runs) those.ids.push_back(run.id);
  }
  for (const StoredRun& run : runs) remove_files(run, store.path().parent_path());
  fmt::print("{} removed\n", store.remove(those));
}

}  // namespace gps::cli
