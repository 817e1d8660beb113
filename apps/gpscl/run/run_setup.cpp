#include "run/run_setup.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "gps/core/errors.h"
#include "gps/experiments/leading.h"
#include "signals.h"
#include "terminal/load_display.h"
#include "terminal/option_text.h"

namespace gps::cli {

void prepare_folder(const std::filesystem::path& folder, const std::string& option) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || access(folder.c_str(), W_OK) != 0) {
    const std::string reason = error ? error.message() : "it cannot be written to";
    throw UsageError(fmt::format("{} '{}' cannot be used: {}", option, folder.string(), reason));
  }
}

int workers_for(int jobs, const Cluster* cluster) {
  if (jobs > 0) return jobs;
  // Only the cores that this process may use: mpirun may have bound it to some of them.
  const auto mine = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  if (cluster == nullptr) return mine;
  const auto all = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  return std::max(1, std::min(mine, all / static_cast<int>(cluster->ranks_here())));
}

Workforce hire(Cluster* cluster, std::span<const Job> jobs, const std::filesystem::path& data,
               int workers, Searches searches, StopFlag& stop) {
  if (cluster == nullptr) {
    auto executor = std::make_unique<Executor>(workers);
    auto worker = local_worker(jobs, data, *executor, stop);
    return {std::move(executor), std::move(worker)};
  }
  auto worker = std::make_unique<ClusterWorker>(*cluster, jobs, data, workers, searches, stop);
  return {std::make_unique<Executor>(worker->workers()), std::move(worker)};
}

std::unique_ptr<Worker> local_worker(std::span<const Job> jobs, const std::filesystem::path& data,
                                     Executor& executor, const StopFlag& stop) {
  LoadDisplay display(isatty(STDERR_FILENO) != 0);
  return std::make_unique<LocalWorker>(
      jobs, data, executor,
      LoadHooks{.executor = &executor,
                .stop = &stop,
                .progress = [&](const LoadProgress& now) { display.update(now); },
                .tell = [&](const std::string& lines) { display.tell(lines); }});
}

OwnStream look_at_images(const std::string& path, const OwnStreamOptions& asked, int jobs) {
  Executor executor(workers_for(jobs, nullptr));
  const bool is_terminal = isatty(STDERR_FILENO) != 0;
  LoadDisplay display(is_terminal);
  LoadHooks hooks{.executor = &executor, .stop = &stop_on_signals()};
  if (is_terminal) hooks.progress = [&](const LoadProgress& now) { display.update(now); };
  return look_at_stream(path, asked, hooks);
}

std::string accuracy_of(const RunResult& result) {
  std::string text =
      fmt::format("accuracy {:.2f} %", 100 * leading_metrics(result).average_accuracy());
  if (is_led_by_all_classes(result))
    text += fmt::format(" among all classes (own classes {:.2f} %)",
                        100 * result.metrics.average_accuracy());
  if (result.has_collapsed) text += ", collapsed";
  return text;
}

std::vector<std::string> warning_lines(const RunResult& result) {
  std::vector<std::string> lines;
  for (const std::string& warning : result.warnings)
    lines.push_back("warning: " + with_dashes(warning));
  return lines;
}

}  // namespace gps::cli
