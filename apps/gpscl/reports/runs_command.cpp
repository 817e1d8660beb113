#include <fmt/format.h>

#include <memory>

#include "actions.h"
#include "commands.h"
#include "gps/experiments/spec/spec_options.h"
#include "policy_names.h"
#include "reports/runs_actions.h"

namespace gps::cli {
namespace {

const OptionTable<RunsOptions>& runs_options() {
  static const OptionTable<RunsOptions> table = {
      option("store", &RunsOptions::store, "the store, or its folder").called("FILE"),
      option("benchmark", &RunsOptions::benchmark, "only runs of this benchmark")
          .called("B")
          .offers(names(benchmark_catalog())),
      option("learner", &RunsOptions::learner, "only runs with this learner")
          .called("L")
          .offers(names(learner_catalog())),
      option("policy", &RunsOptions::policy, "only runs with this policy")
          .called("P")
          .offers(policy_names()),
      option("status", &RunsOptions::status,
             "only these runs: running, done, failed or interrupted (tables show only finished "
             "runs)")
          .called("S")
          .offers({name_of(RunStatus::running), name_of(RunStatus::done),
                   name_of(RunStatus::failed), name_of(RunStatus::interrupted)}),
      option("baseline", &RunsOptions::baseline,
             "compare: show differences to this policy, learner or line of the table")
          .called("NAME")
          .usually("the first line")
          .offers(policy_names()),
      option("format", &RunsOptions::format,
             "compare: text | csv | json | md | latex (text); export: csv | json | md | latex "
             "(csv)")
          .called("F")
          .offers({"text", "csv", "json", "md", "latex"}),
      option("output", &RunsOptions::output, "write to a file instead of standard output")
          .called("FILE")
          .short_flag("o"),
      option("limit", &RunsOptions::limit, "list: number of runs; 0: all").between(0, 1e9),
      option("json", &RunsOptions::wants_json, "show: print the run as JSON"),
      option("yes", &RunsOptions::is_sure, "rm: remove without asking").short_flag("y"),
  };
  return table;
}

template <void action(const RunsOptions&)>
int done(const RunsOptions& options) {
  action(options);
  return 0;
}

const Actions<RunsOptions>& runs_actions() {
  static const Actions<RunsOptions> actions = {
      "runs",
      "words",
      "--benchmark, --learner, --policy and --status choose runs",
      {"--store"},
      {{"list",
        done<list_runs>,
        false,
        {"--benchmark", "--learner", "--policy", "--status", "--limit"}},
       {"show", done<show_run>, true, {"--json"}},
       {"compare",
        done<compare_runs>,
        true,
        {"--benchmark", "--learner", "--policy", "--baseline", "--format", "--output"}},
       {"export",
        done<export_runs>,
        false,
        {"--benchmark", "--learner", "--policy", "--status", "--format", "--output"}},
       {"rm",
        done<remove_runs>,
        true,
        {"--benchmark", "--learner", "--policy", "--status", "--yes"}}}};
  return actions;
}

}  // namespace

const CommandTable& runs_table() {
  static const CommandTable table = {
      R"(gpscl runs: show, compare, export and remove the runs of a store

Usage: gpscl runs list [FILTERS] [--limit N]
       gpscl runs show ID [--json]
       gpscl runs compare [WHAT...] [FILTERS] [--baseline NAME] [--format F] [--output FILE]
       gpscl runs export [FILTERS] [--format F] [--output FILE]
       gpscl runs rm [ID...] [FILTERS] [--yes]

  list      one line per run, latest first
  show      one run: how to repeat it, its metrics, accuracies, decisions and times
  compare   means over seeds, and differences to the first over common seeds, with 95 % intervals.
            WHAT is a policy (gps, gps:rotation), a learner (der), both ("der gps:rotation"), or the
            id of a run, which stands for all seeds of its spec; without WHAT: all runs
  export    csv and json: one entry per run; md and latex: the table of compare
  rm        remove runs, with their JSON files and checkpoints in the folder of the store; runs
            that a process is working on are kept

)",
      {place("action", "ACTION", runs_actions().names()), place("what", "WHAT", policy_names())},
      runs_options().rows(),
      R"(
Example: compare GPS with a reservoir, both with DER, over all runs so far
  gpscl runs compare "der reservoir" "der gps:permutation" --benchmark p-mnist
)"};
  return table;
}

void add_runs_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("runs", runs_table().help());
  command->set_help_flag();
  const auto options = std::make_shared<RunsOptions>();
  const auto action = std::make_shared<std::string>();
  command->add_option("action", *action);
  command->add_option("what", options->what);
  command->add_flag("-h,--help", options->wants_help);
  bind(*command, runs_options(), *options);
  command->callback([options, action, command, &exit_code] {
    if (options->wants_help) {
      fmt::print("{}", runs_table().help());
    } else {
      exit_code = runs_actions().execute(*action, options->what, *command, *options);
    }
  });
}

}  // namespace gps::cli
