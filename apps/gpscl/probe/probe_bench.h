// The resources that a probe works with: the folder, the store and the threads given to `gpscl
// probe`.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <map>

#include "gps/core/tell_user.h"
#include "gps/experiments/scheduling/run_many.h"
#include "gps/experiments/spec/open_stream.h"
#include "gps/probes/recorded.h"
#include "patience.h"
#include "probe/probe_display.h"
#include "probe/probe_options.h"
#include "run/run_setup.h"
#include "signals.h"
#include "terminal/load_display.h"
#include "terminal/progress_display.h"

namespace gps::cli {

class Bench {
 public:
  explicit Bench(ProbeOptions& options)
      : options_(options),
        stop_(stop_on_signals()),
        store_(prepared(options.run), store_options()) {}

  // Returns the results of options × seeds as [options][seed]. Failed analyses are left out.
  template <typename Options>
  std::vector<std::vector<typename Options::Result>> analyses(
      const std::vector<Options>& all, const std::vector<std::string>& labels) {
    std::vector<Analysis<Options>> work;
    std::vector<std::string> names;
    const std::vector<std::uint64_t> seeds = options_.run.all_seeds();
    for (const std::uint64_t seed : seeds) {
      for (std::size_t k = 0; k < all.size(); ++k) {
        work.push_back({all[k], seed});
        names.push_back(fmt::format("{} {} seed {}", options_.kind, labels[k], seed));
      }
    }
    Executor executor(workers_for(options_.run.jobs, nullptr));
    const auto source = opened(all.front().spec, executor);
    ProbeDisplay display(names, isatty(STDERR_FILENO) != 0);
    const AnalyseManyHooks hooks{
        .progress = [&](std::size_t k, const ProbeProgress& now) { display.update(k, now); },
        .ended =
            [&](std::size_t k, bool was_recorded, const std::string& error) {
              display.finish(k, !error.empty() ? "failed: " + error
                                : was_recorded ? "was done before"
                                               : "done");
            }};
    const auto found =
        analyse_many<Options>(work, *source, executor, store_, stop_, options_.own.again, hooks);
    std::vector<std::vector<typename Options::Result>> results(all.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (found[k]) results[k % all.size()].push_back(*found[k]);
      if (found[k]) ++done_;
    }
    planned_ += found.size();
    return results;
  }

  // Returns the runs of specs × seeds in the same way. Runs that the store already has are not
  // repeated.
  std::vector<std::map<std::uint64_t, RunResult>> runs(const std::vector<Spec>& specs) {
    std::vector<Job> jobs;
    std::vector<std::string> labels;
    std::vector<std::size_t> order;
    for (const std::uint64_t seed : options_.run.all_seeds()) {
      for (const Spec& spec : specs) {
        order.push_back(jobs.size());
        labels.push_back(
            fmt::format("{} seed {}", run_label(spec, options_.run.learners.size() > 1), seed));
        jobs.push_back({spec, seed, labels.back()});
      }
    }
    const auto [executor, worker] =
        hire(nullptr, jobs, options_.run.data, workers_for(options_.run.jobs, nullptr),
             Searches::alone, stop_);
    ProgressDisplay display(labels, isatty(STDERR_FILENO) != 0);
    const RunManyHooks hooks{
        .started = {},
        .progress = [&](std::size_t k, const RunProgress& now) { display.update(k, now); },
        .tell = [&](std::size_t k, const std::string& line) { display.tell(k, line); },
        .ended =
            [&](std::size_t k, const JobEnd& end, const RunResult* result) {
              if (end.state == JobState::failed) display.finish(k, "failed: " + end.error);
              if (end.state == JobState::was_failed)
                display.finish(k, "failed before; use --rerun to try again");
              if (end.state == JobState::was_done) display.finish(k, "was done before");
              if (end.state == JobState::done) display.finish(k, accuracy_of(*result));
            }};
    run_many(jobs, order, *worker, *executor, store_, stop_,
             {.out = options_.run.out,
              .what = options_.own.again ? Redo::all : Redo::missing,
              .checkpoints = options_.run.checkpoints},
             hooks);
    std::vector<std::map<std::uint64_t, RunResult>> results(specs.size());
    for (std::size_t k = 0; k < jobs.size(); ++k) {
      const auto run = store_.find(jobs[k].spec, jobs[k].seed);
      if (!run || run->status != RunStatus::done) continue;
      results[k % specs.size()].emplace(jobs[k].seed, result_from(*run));
      ++done_;
    }
    planned_ += jobs.size();
    return results;
  }

  // Returns the exit code, after printing a line if the work was interrupted.
  int end() const {
    if (stop_.is_requested()) {
      tell_user(
          "gpscl: interrupted; {} of {} finished and kept in {}; run the same command "
          "to continue",
          done_, planned_, store_.path().string());
      return signal_exit_code();
    }
    return done_ == planned_ ? 0 : 1;
  }

 private:
  static std::filesystem::path prepared(const RunOptions& run) {
    prepare_folder(run.out);
    return store_path(run.store, run.out);
  }
  std::unique_ptr<BenchmarkSource> opened(const Spec& spec, Executor& executor) {
    LoadDisplay display(isatty(STDERR_FILENO) != 0);
    return open_stream(spec.benchmark, spec.network, options_.run.data,
                       {.executor = &executor,
                        .stop = &stop_,
                        .progress = [&](const LoadProgress& now) { display.update(now); }});
  }

  ProbeOptions& options_;
  StopFlag& stop_;
  Store store_;
  std::size_t done_ = 0;
  std::size_t planned_ = 0;
};

}  // namespace gps::cli
