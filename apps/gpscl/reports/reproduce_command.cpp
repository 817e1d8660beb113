#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands.h"
#include "gps/core/text.h"
#include "output.h"
#include "reports/reproduce_answers.h"
#include "reports/reproduce_plan.h"
#include "run/run_options.h"
#include "run/run_setup.h"
#include "signals.h"
#include "terminal_text.h"

namespace gps::cli {
namespace {

constexpr const char* kReproduceHelp =
    R"(gpscl reproduce: the tables and figures of the paper, ours beside the paper's, and which claims hold

Usage: gpscl reproduce [ITEM...] [OPTIONS]

  ITEM            as the list says that gpscl reproduce prints; all: every one of them
  --benchmarks B  p-mnist,s-cifar-10,...; without it those that an MLP can learn
  --scale S       full (the paper's settings), reduced (minutes an item; natural images: hours,
                  which --dry-run estimates) or smoke (seconds)                      (reduced)
  --seeds N       so many of them (full: 5, reduced: 3, smoke: 2)
  --format F      text, md, csv, latex or json                                          (text)
  -o, --output F  write to a file instead
  --no-run        only what the store has already
  --notes DIR     DIR/ITEM.md, DIR/intro.md and DIR/outro.md go into the document (below)
  --out, --store, and with an ITEM --dry-run, --jobs, --data, --checkpoint-every, --retry-failed:
                  as for gpscl sweep

Runs that the store has are not done again, those of gpscl run and gpscl sweep included. Without an
ITEM but with a --format, nothing is run: all that the store has goes into the output, each item at
the scale at which more claims can be judged, full where as many (smoke: if named, and without
verdicts); --format md then writes a whole document, with the verdicts first. They are `reproduced`,
`not reproduced` or `not tried`, by rules that are stated.

Example: Table 1 at a reduced size, about two minutes
  gpscl reproduce table1 --benchmarks p-mnist --scale reduced
Example: docs/reproduction.md
  gpscl reproduce --format md --store results/runs.sqlite --notes docs/reproduction-notes
)";

void print_items() {
  std::size_t longest = 0;
  for (const Item& item : item_catalog()) longest = std::max(longest, item.name.size());
  for (const Item& item : item_catalog()) {
    fmt::print("{:{}}  {}: {}\n{:{}}  {}\n", item.name, longest, item.where, item.title, "",
               longest, join(item.benchmarks));
  }
  fmt::print("\ngpscl reproduce ITEM runs what is behind it; see gpscl reproduce --help\n");
}

// The plan of the runs, and what analyses will take.
int show_plan(const ReproduceOptions& options, const std::vector<Asked>& all,
              const std::filesystem::path& path) {
  const int code = carry_out(options.work, [&] { return plan_of(all); }, {});
  std::unique_ptr<Store> store;
  if (std::filesystem::exists(path))
    store = std::make_unique<Store>(path, Store::Options{.read_only = true});
  const Analyses analyses = all_analyses(all);
  if (analyses.size() == 0) return code;
  const AnalysesLeft left = analyses_left(analyses, store.get());
  const int workers = workers_for(options.work.jobs, nullptr);
  fmt::print("{} analyses: {} done, {} to do; about {} on {} worker{}\n", analyses.size(),
             analyses.size() - left.count, left.count, clock_time(left.seconds / workers), workers,
             workers == 1 ? "" : "s");
  return code;
}

// What would be misunderstood is refused; how to run, where nothing is run, is not.
void check_means_something(const ReproduceOptions& options, const CLI::App& command) {
  const auto refuse = [&](const char* option, const char* why) {
    if (command.count(option) > 0)
      throw UsageError(fmt::format("{} means nothing {}; see gpscl reproduce --help", option, why));
  };
  if (options.items.empty() && options.format.empty()) {
    for (const char* option : {"--benchmarks", "--scale", "--seeds", "--output", "--notes",
                               "--no-run", "--out", "--store"})
      refuse(option, "without an ITEM or a --format");
  }
  if (options.items.empty()) {
    for (const char* option :
         {"--dry-run", "--jobs", "--data", "--checkpoint-every", "--retry-failed"})
      refuse(option, "without an ITEM, as nothing is run");
  }
  if (options.only_reports) {
    for (const char* option : {"--dry-run", "--retry-failed"}) refuse(option, "with --no-run");
  }
  if (command.count("--dry-run") > 0) {
    for (const char* option : {"--output", "--format"}) refuse(option, "with --dry-run");
  }
  if (!options.items.empty() || options.format != "md")
    refuse("--notes", "but for the document, of --format md without an ITEM");
}

int execute(const ReproduceOptions& options) {
  if (options.items.empty()) {
    if (options.format.empty()) {
      print_items();
    } else {
      report_all(options);
    }
    return 0;
  }
  format_of(options);
  const std::vector<Asked> all = asked(options);
  const std::filesystem::path path = store_path(options.work.store, options.work.out);
  if (options.only_reports) {
    Store store(path, Store::Options{.read_only = true});
    check_output(options.output);
    return report_asked(options, all, plan_of(all), store, 0);
  }
  if (options.work.is_dry) return show_plan(options, all, path);
  check_output(options.output);
  return carry_out(
      options.work, [&] { return plan_of(all); },
      [&](const SweepPlan& plan, Store& store) {
        StopFlag& stop = stop_on_signals();
        Executor executor(workers_for(options.work.jobs, nullptr));
        const Analyses analyses = all_analyses(all);
        if (analyses.size() > 0) {
          fmt::print(stderr, "reproduce: {} analyses, {} of them to do\n", analyses.size(),
                     analyses_left(analyses, &store).count);
        }
        std::size_t failed = 0;
        for (const Asked& each : all)
          failed += do_analyses(analyses_for(each), options.work.data, executor, store, stop);
        if (stop.is_requested()) {
          fmt::print(stderr, "gpscl: interrupted; the same command goes on\n");
          return signal_exit_code();
        }
        return report_asked(options, all, plan, store, failed);
      });
}

}  // namespace

void add_reproduce_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("reproduce", kReproduceHelp);
  command->set_help_flag();
  const auto options = std::make_shared<ReproduceOptions>();
  SweepOptions& work = options->work;
  command->add_option("items", options->items);
  command->add_flag("-h,--help", work.wants_help);
  command->add_option("--benchmarks", options->benchmarks);
  command->add_option("--scale", options->scale);
  command->add_option("--seeds", options->seeds)->check(CLI::Range(1, 1000));
  command->add_option("--format", options->format);
  command->add_option("-o,--output", options->output);
  command->add_option("--notes", options->notes);
  command->add_flag("--no-run", options->only_reports);
  command->add_flag("--dry-run", work.is_dry);
  command->add_option("--jobs", work.jobs)->check(CLI::Range(1, 1024));
  command->add_option("--out", work.out);
  command->add_option("--store", work.store);
  command->add_option("--data", work.data);
  command->add_option("--checkpoint-every", work.checkpoint_every);
  command->add_flag("--retry-failed", work.retries_failed);
  command->callback([options, command, &exit_code] {
    if (options->work.wants_help) {
      fmt::print("{}", kReproduceHelp);
      return;
    }
    check_means_something(*options, *command);
    exit_code = execute(*options);
  });
}

}  // namespace gps::cli
