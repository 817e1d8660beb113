#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "commands.h"
#include "gps/core/tell_user.h"
#include "gps/core/text/printable.h"
#include "gps/experiments/scheduling/cost.h"
#include "gps/report/comparison.h"
#include "gps/report/labels.h"
#include "patience.h"
#include "run/run_options.h"
#include "run/run_setup.h"
#include "signals.h"
#include "sweep/sweep_display.h"
#include "sweep/sweep_work.h"
#include "terminal/option_text.h"
#include "terminal/terminal_text.h"

namespace gps::cli {
namespace {

// Returns an option of gpscl run, with the same row, that sets this member. REQUIRES: there is one.
template <typename T>
BoundOption<SweepOptions> as_in_run(const std::string& key, T SweepOptions::*member) {
  BoundOption<SweepOptions> bound = option(key, member, "");
  for (const RunArgument& each : run_arguments()) {
    if (each.row.key == key) bound.row = each.row;
  }
  return bound;
}

const OptionTable<SweepOptions>& sweep_options() {
  static const OptionTable<SweepOptions> table = {
      as_in_run("tensorboard", &SweepOptions::tensorboard),
      option("rerun", &SweepOptions::reruns, "do all runs again, also finished ones"),
  };
  return table;
}

// What the store knows about the jobs of a sweep.
struct Standing {
  std::vector<std::optional<StoredRun>> stored;  // one per job
  std::vector<double> seconds;                   // expected time, one per job
};

Standing look(const SweepRuns& runs, Store* store) {
  Standing standing{std::vector<std::optional<StoredRun>>(runs.jobs.size()), {}};
  std::map<std::pair<std::string, std::uint64_t>, StoredRun> known;
  std::vector<StoredRun> done;
  if (store != nullptr) {
    for (StoredRun& run : store->find(RunFilter())) {
      if (run.status == RunStatus::done && run.damage.empty()) done.push_back(run);
      known[{run.spec, run.seed}] = std::move(run);
    }
  }
  const SpeedEstimate speed(done);
  for (std::size_t k = 0; k < runs.jobs.size(); ++k) {
    const auto at = known.find({to_json(runs.jobs[k].spec).dump(), runs.jobs[k].seed});
    if (at != known.end()) standing.stored[k] = at->second;
    standing.seconds.push_back(speed.seconds(runs.jobs[k].spec));
  }
  return standing;
}

bool is_missing(const std::optional<StoredRun>& run, const SweepOptions& options) {
  if (!run || options.reruns) return true;
  if (run->status == RunStatus::failed) return options.retries_failed;
  return run->status != RunStatus::done;
}

// Returns the missing jobs, longest first. Jobs of equal length keep the order of the sweep, seed
// by seed.
std::vector<std::size_t> order_of_work(const Standing& standing, const SweepOptions& options) {
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < standing.stored.size(); ++k) {
    if (is_missing(standing.stored[k], options)) order.push_back(k);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return standing.seconds[a] > standing.seconds[b];
  });
  return order;
}

// Returns the name of the sweep, and its title if it has one, for a terminal.
std::string heading(const SweepRuns& runs) {
  return printable(runs.title.empty() ? runs.name : runs.name + ": " + runs.title);
}

// Prints one line per spec: its runs, how many are done, and how long the rest may take.
void print_runs(const SweepRuns& runs, const Standing& standing, const SweepOptions& options,
                int workers) {
  struct Line {
    std::size_t runs = 0;
    std::size_t done = 0;
    std::size_t failed = 0;
    double seconds = 0;  // of one run
    double left = 0;
  };
  std::vector<std::string> labels;
  std::map<std::string, Line> lines;
  Line all;
  std::vector<double> left;
  for (std::size_t k = 0; k < runs.jobs.size(); ++k) {
    const std::string& label = runs.labels[k];
    if (!lines.contains(label)) labels.push_back(label);
    for (Line* line : {&lines[label], &all}) {
      ++line->runs;
      line->seconds = standing.seconds[k];
      if (is_missing(standing.stored[k], options)) {
        line->left += standing.seconds[k];
      } else {
        ++(standing.stored[k]->status == RunStatus::failed ? line->failed : line->done);
      }
    }
  }
  for (const std::size_t k : order_of_work(standing, options)) left.push_back(standing.seconds[k]);

  Table table = {"run", "seeds", "done", "to do", "per run", "left"};
  for (const std::string& label : labels) {
    const Line& line = lines[label];
    table.rows.push_back({label, Cell::count(line.runs), Cell::count(line.done),
                          Cell::count(line.runs - line.done - line.failed),
                          Cell::said(line.seconds, clock_time(line.seconds)),
                          Cell::said(line.left, clock_time(line.left))});
  }
  fmt::print("{}\n\n{}\n", heading(runs), text_table(table));
  fmt::print("{} run{}: {} done, {} failed, {} to do; about {} on {} worker{}\n", all.runs,
             all.runs == 1 ? "" : "s", all.done, all.failed, left.size(),
             clock_time(makespan(left, workers)), workers, workers == 1 ? "" : "s");
}

std::string outcome_of(const JobEnd& end, const RunResult* result) {
  if (end.state == JobState::done)
    return fmt::format("{}, {:.0f} s", accuracy_of(*result), end.seconds);
  if (end.state == JobState::failed) return "failed: " + with_dashes(end.error);
  return end.state == JobState::was_failed ? "failed elsewhere" : "was done";
}

// Prints the tables of all finished runs, and the errors of failed and damaged ones. Returns the
// number of the latter.
std::size_t report(const SweepRuns& runs, Store& store) {
  std::vector<RunResult> results;
  std::size_t done = 0;
  std::size_t failed = 0;
  std::size_t damaged = 0;
  for (const Job& job : runs.jobs) {
    const std::optional<StoredRun> run = store.find(job.spec, job.seed);
    if (!run) continue;
    if (run->status == RunStatus::done) {
      try {
        results.push_back(result_from(*run));
        ++done;
      } catch (const DamagedResult& error) {
        ++damaged;
        tell_user("gpscl: {}; left out of the tables", error.what());
      } catch (const DataError& error) {  // of another version
        ++done;
        tell_user("gpscl: {}; left out of the tables", error.what());
      }
    } else if (!run->damage.empty()) {
      ++damaged;
      tell_user("gpscl: {}", damage_line(*run));
    } else if (run->status == RunStatus::failed) {
      ++failed;
      tell_user("gpscl: {} failed: {}", job.label, with_dashes(run->error));
    }
  }
  // The tables compare with the first result, which should be one with a memory.
  std::stable_partition(results.begin(), results.end(),
                        [](const RunResult& result) { return result.spec.policy.name != "none"; });
  fmt::print("{}\n", heading(runs));
  for (const ComparableResults& group : by_setting(results)) {
    std::vector<Spec> specs;
    for (const RunResult& result : group.results) specs.push_back(result.spec);
    fmt::print("\n{}\n\n{}{}", printable(group.title),
               text_table(compare(group.results, distinct_labels(specs), /*with_seeds=*/true)),
               notes_below(group.results));
  }
  const auto collapsed = std::count_if(
      results.begin(), results.end(), [](const RunResult& result) { return result.has_collapsed; });
  fmt::print("\n{} run{}: {} done, {} failed{}{}\n", runs.jobs.size(),
             runs.jobs.size() == 1 ? "" : "s", done, failed,
             damaged == 0 ? "" : fmt::format(", {} damaged", damaged),
             collapsed == 0 ? "" : fmt::format(", {} collapsed", collapsed));
  return failed + damaged;
}

// Marks runs as done whose result file is in the folder: a real sweep would not repeat them.
void look_at_files(const SweepRuns& runs, const SweepOptions& options, Standing& standing) {
  for (std::size_t k = 0; k < runs.jobs.size() && !options.reruns; ++k) {
    const Job& job = runs.jobs[k];
    if (!is_missing(standing.stored[k], options)) continue;
    try {
      read_result(std::filesystem::path(options.out) / file_name(job.spec, job.seed), job.spec,
                  job.seed);
      standing.stored[k].emplace().status = RunStatus::done;
    } catch (const DataError&) {  // no file, or not a valid result
    }
  }
}

}  // namespace

int carry_out(const SweepOptions& options, const std::function<SweepRuns()>& make_runs,
              const std::function<int(const SweepRuns&, Store&)>& finish) {
  const std::optional<CheckpointOptions> checkpoints = parse_checkpoints(options.checkpoint_every);
  const std::unique_ptr<Cluster> cluster = join_cluster();
  const int workers = workers_for(options.jobs, cluster.get());
  if (cluster && cluster->rank() > 0) {
    serve(*cluster, options.data, workers, stop_on_signals());
    return 0;
  }
  const SweepRuns runs = make_runs();
  for (const std::string& note : runs.notes) tell_user("gpscl: {}", note);
  const std::filesystem::path path = store_path(options.store, options.out);
  if (options.is_dry) {
    std::unique_ptr<Store> store;
    std::error_code ignored;
    if (std::filesystem::exists(path) && !std::filesystem::is_empty(path, ignored))
      store = std::make_unique<Store>(path, store_options({.read_only = true}));
    if (runs.jobs.empty()) return 0;
    const int ranks = cluster ? static_cast<int>(cluster->size()) : 1;
    Standing standing = look(runs, store.get());
    look_at_files(runs, options, standing);
    print_runs(runs, standing, options, ranks * workers);
    return 0;
  }
  prepare_folder(options.out);
  if (!options.tensorboard.empty()) prepare_folder(options.tensorboard, "--tensorboard");
  Store store(path, store_options());
  const Standing standing = look(runs, &store);
  std::vector<Job> jobs;
  std::vector<double> seconds;
  for (const std::size_t k : order_of_work(standing, options)) {
    jobs.push_back(runs.jobs[k]);
    seconds.push_back(standing.seconds[k]);
  }
  for (std::size_t k = 0; k < runs.jobs.size() && !options.reruns; ++k) {
    // Remove a checkpoint that is left if a process was killed at the very end of a run.
    const bool is_done = standing.stored[k] && standing.stored[k]->status == RunStatus::done;
    if (!is_done) continue;
    Checkpoints left(checkpoint_file(options.out, runs.jobs[k].spec, runs.jobs[k].seed));
    if (left.exists()) left.remove();
  }
  if (!runs.jobs.empty())
    tell_user("{}: {} run{}, {} to do", runs.name, runs.jobs.size(),
              runs.jobs.size() == 1 ? "" : "s", jobs.size());
  StopFlag& stop = stop_on_signals();
  std::size_t open = 0;
  if (!jobs.empty()) {
    const auto [executor, worker] =
        hire(cluster.get(), jobs, options.data, workers, Searches::alone, stop);
    SweepDisplay display(jobs, seconds, executor->workers(), isatty(STDERR_FILENO) != 0);
    const RunManyHooks hooks{
        .started = [&](std::size_t k) { display.start(k); },
        .progress = [&](std::size_t k, const RunProgress& p) { display.update(k, p); },
        .tell = [&](std::size_t k, const std::string& line) { display.tell(k, line); },
        .ended =
            [&](std::size_t k, const JobEnd& end, const RunResult* result) {
              display.end(k, end, outcome_of(end, result));
              if (result == nullptr) return;
              for (const std::string& line : warning_lines(*result)) display.tell(k, line);
            }};
    std::vector<std::size_t> order(jobs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::vector<JobEnd> ends = run_many(jobs, order, *worker, *executor, store, stop,
                                              {.out = options.out,
                                               .what = options.reruns ? Redo::all : Redo::missing,
                                               .retry_failed = options.retries_failed,
                                               .checkpoints = checkpoints,
                                               .tensorboard = {options.tensorboard,
                                                               /*examples=*/!cluster}},
                                              hooks);
    for (const JobEnd& end : ends) open += end.state == JobState::open ? 1 : 0;
  }
  if (stop.is_requested()) {
    tell_user(
        "gpscl: interrupted; {} of {} runs are not done; the others are kept in {}; run the same "
        "command to continue",
        open, runs.jobs.size(), options.out);
    return signal_exit_code();
  }
  return finish(runs, store);
}

const OptionTable<SweepOptions>& work_options() {
  static const OptionTable<SweepOptions> table = {
      option("dry_run", &SweepOptions::is_dry,
             "show the runs, what is done, and an estimate of the time left"),
      as_in_run("jobs", &SweepOptions::jobs),
      as_in_run("out", &SweepOptions::out),
      as_in_run("store", &SweepOptions::store),
      as_in_run("data", &SweepOptions::data),
      as_in_run("checkpoint_every", &SweepOptions::checkpoint_every).offers({"off"}),
      option("retry_failed", &SweepOptions::retries_failed, "do failed runs again"),
  };
  return table;
}

const CommandTable& sweep_table() {
  static const CommandTable table = {
      R"(gpscl sweep: do all runs of a file that are not done yet

Usage: gpscl sweep FILE.toml [OPTIONS]

)",
      {place("file", "FILE")},
      work_options().rows() + sweep_options().rows(),
      R"(
A file sets options of gpscl run, without dashes: in [defaults] for all runs, and in one or more
[[grid]]s. All combinations of the values in arrays are run. seeds = 3 runs seeds 0, 1 and 2;
seeds = [3, 7] runs seeds 3 and 7. Runs that are in the store, from any version, or in DIR as JSON
are not done again. Run the same command to continue an interrupted sweep; it continues
in the middle of runs. Several processes can work on one file at the same time. The longest runs
start first. A run that fails is recorded, and the others continue. configs/ has a file for each
table and figure of the paper.

  name = "small"
  [defaults]
  benchmark = "p-fashion-mnist"
  seeds = 3
  [[grid]]
  policy = ["reservoir", "ring-full", "gps"]
  memory = [100, 1000]

Example: what is left to do, and how long does it take on 8 cores?
  gpscl sweep configs/table1.toml --dry-run --jobs 8
)"};
  return table;
}

void add_sweep_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("sweep", sweep_table().help());
  command->set_help_flag();
  const auto options = std::make_shared<SweepOptions>();
  command->add_option("file", options->file);
  command->add_flag("-h,--help", options->wants_help);
  bind(*command, work_options(), *options);
  bind(*command, sweep_options(), *options);
  command->callback([options, &exit_code] {
    if (options->wants_help) {
      fmt::print("{}", sweep_table().help());
      return;
    }
    if (options->file.empty())
      throw UsageError("no file given; configs/ has some; see gpscl sweep --help");
    exit_code = carry_out(
        *options, [&] { return sweep_runs(options->file); },
        [](const SweepRuns& runs, Store& store) { return report(runs, store) == 0 ? 0 : 1; });
  });
}

}  // namespace gps::cli
