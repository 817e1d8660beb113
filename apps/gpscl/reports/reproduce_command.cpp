#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands.h"
#include "gps/core/tell_user.h"
#include "gps/core/text/text.h"
#include "patience.h"
#include "reports/reproduce_answers.h"
#include "reports/reproduce_runs.h"
#include "run/run_options.h"
#include "run/run_setup.h"
#include "signals.h"
#include "terminal/output.h"
#include "terminal/terminal_text.h"

namespace gps::cli {
namespace {

const OptionTable<ReproduceOptions>& reproduce_options() {
  constexpr int kMostSeeds = 1000;
  static const OptionTable<ReproduceOptions> table = {
      option("benchmarks", &ReproduceOptions::benchmarks, "p-mnist,s-cifar-10,...")
          .called("B")
          .usually("those that an MLP can learn")
          .offers_several(names(benchmark_catalog())),
      option("scale", &ReproduceOptions::scale,
             "full (the paper's settings), reduced (minutes per item; natural images: hours, "
             "estimated by --dry-run) or smoke (seconds)")
          .called("S")
          .usually("reduced")
          .offers({"smoke", "reduced", "full"}),
      option("seeds", &ReproduceOptions::seeds, "number of seeds")
          .between(1, kMostSeeds)
          .usually("full: 5, reduced: 3, smoke: 2"),
      option("format", &ReproduceOptions::format, "text, md, csv, latex or json")
          .called("F")
          .usually("text")
          .offers({"text", "md", "csv", "latex", "json"}),
      option("output", &ReproduceOptions::output, "write to a file instead of standard output")
          .called("FILE")
          .short_flag("o"),
      option("no_run", &ReproduceOptions::only_reports, "run nothing; use only what the store has"),
      option("notes", &ReproduceOptions::notes,
             "add DIR/ITEM.md, DIR/intro.md and DIR/outro.md to the document (see below)")
          .called("DIR"),
  };
  return table;
}

std::vector<std::string> item_names() {
  std::vector<std::string> all;
  for (const Item& item : item_catalog()) all.push_back(item.name);
  all.emplace_back("all");
  return all;
}

void print_items() {
  std::size_t longest = 0;
  for (const Item& item : item_catalog()) longest = std::max(longest, item.name.size());
  for (const Item& item : item_catalog()) {
    fmt::print("{:{}}  {}: {}\n{:{}}  {}\n", item.name, longest, item.where, item.title, "",
               longest, join(item.benchmarks));
  }
  fmt::print("\ngpscl reproduce ITEM does the runs of an item; see gpscl reproduce --help\n");
}

// Shows the runs, and the expected time of the analyses.
int show_runs(const ReproduceOptions& options, const std::vector<Asked>& all,
              const std::filesystem::path& path) {
  const int code = carry_out(options.work, [&] { return runs_of(all); }, {});
  std::unique_ptr<Store> store;
  if (std::filesystem::exists(path))
    store = std::make_unique<Store>(path, store_options({.read_only = true}));
  const Analyses analyses = all_analyses(all);
  if (analyses.size() == 0) return code;
  const AnalysesLeft left = analyses_left(analyses, store.get());
  const int workers = workers_for(options.work.jobs, nullptr);
  fmt::print("{} analyses: {} done, {} to do; about {} on {} worker{}\n", analyses.size(),
             analyses.size() - left.count, left.count, clock_time(left.seconds / workers), workers,
             workers == 1 ? "" : "s");
  return code;
}

// Throws UsageError for options that have no effect in this combination.
void check_means_something(const ReproduceOptions& options, const CLI::App& command) {
  const auto refuse = [&](const char* option, const char* why) {
    if (command.count(option) > 0)
      throw UsageError(
          fmt::format("{} cannot be used {}; see gpscl reproduce --help", option, why));
  };
  if (options.items.empty() && options.format.empty()) {
    for (const char* option : {"--benchmarks", "--scale", "--seeds", "--output", "--notes",
                               "--no-run", "--out", "--store"})
      refuse(option, "without an ITEM or a --format");
  }
  if (options.items.empty()) {
    for (const char* option :
         {"--dry-run", "--jobs", "--data", "--checkpoint-every", "--retry-failed"})
      refuse(option, "without an ITEM, because nothing is run");
  }
  if (options.only_reports) {
    for (const char* option : {"--dry-run", "--retry-failed"}) refuse(option, "with --no-run");
  }
  if (command.count("--dry-run") > 0) {
    for (const char* option : {"--output", "--format"}) refuse(option, "with --dry-run");
  }
  if (!options.items.empty() || options.format != "md")
    refuse("--notes", "except with --format md and without an ITEM");
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
    Store store(path, store_options({.read_only = true}));
    check_output(options.output);
    return report_asked(options, all, runs_of(all), store, 0);
  }
  if (options.work.is_dry) return show_runs(options, all, path);
  check_output(options.output);
  return carry_out(
      options.work, [&] { return runs_of(all); },
      [&](const SweepRuns& runs, Store& store) {
        StopFlag& stop = stop_on_signals();
        Executor executor(workers_for(options.work.jobs, nullptr));
        const Analyses analyses = all_analyses(all);
        if (analyses.size() > 0) {
          tell_user("reproduce: {} analys{}s, {} to do", analyses.size(),
                    analyses.size() == 1 ? "i" : "e", analyses_left(analyses, &store).count);
        }
        std::size_t failed = 0;
        for (const Asked& each : all)
          failed += do_analyses(analyses_for(each), options.work.data, executor, store, stop);
        if (stop.is_requested()) {
          tell_user("gpscl: interrupted; run the same command to continue");
          return signal_exit_code();
        }
        return report_asked(options, all, runs, store, failed);
      });
}

}  // namespace

const CommandTable& reproduce_table() {
  static const CommandTable table = {
      R"(gpscl reproduce: make tables and figures of the paper, and check the paper's claims

Usage: gpscl reproduce [ITEM...] [OPTIONS]

ITEM is an item of the list that gpscl reproduce prints, or all. Without an ITEM nothing is run, so
--dry-run, --jobs, --data, --checkpoint-every and --retry-failed need one.

)",
      {place("items", "ITEM", item_names())},
      reproduce_options().rows() + work_options().rows(),
      R"(
Runs in the store are not repeated, including those of gpscl run and gpscl sweep. With a --format
but without an ITEM, nothing is run and everything in the store is shown. Each item is shown at the
scale with more verdicts; if equal, at full scale. Smoke is shown only if you name it, and has no
verdicts. --format md then writes a whole document with the verdicts first. A verdict is
`reproduced`, `not reproduced` or `not tried`; the output states the rule.

Example: Table 1 at a reduced size, about two minutes
  gpscl reproduce table1 --benchmarks p-mnist --scale reduced
Example: docs/reproduction.md
  gpscl reproduce --format md --store results/runs.sqlite --notes docs/reproduction-notes
)"};
  return table;
}

void add_reproduce_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("reproduce", reproduce_table().help());
  command->set_help_flag();
  const auto options = std::make_shared<ReproduceOptions>();
  command->add_option("items", options->items);
  command->add_flag("-h,--help", options->work.wants_help);
  bind(*command, reproduce_options(), *options);
  bind(*command, work_options(), options->work);
  command->callback([options, command, &exit_code] {
    if (options->work.wants_help) {
      fmt::print("{}", reproduce_table().help());
      return;
    }
    check_means_something(*options, *command);
    exit_code = execute(*options);
  });
}

}  // namespace gps::cli
