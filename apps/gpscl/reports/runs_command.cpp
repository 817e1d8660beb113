#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "commands.h"
#include "gps/core/errors.h"
#include "gps/core/text.h"
#include "reports/runs_actions.h"

namespace gps::cli {
namespace {

constexpr const char* kRunsHelp =
    R"(gpscl runs: show, compare, export and remove the runs of a store

Usage: gpscl runs list [FILTERS] [--limit N]
       gpscl runs show ID [--json]
       gpscl runs compare [WHAT...] [FILTERS] [--format F] [--output FILE]
       gpscl runs export [FILTERS] [--format F] [--output FILE]
       gpscl runs rm [ID...] [FILTERS] [--yes]

  list      one line per run, latest first (the 50 latest; --limit 0: all)
  show      one run: how to repeat it, its metrics, accuracies, decisions and times
  compare   means over seeds, and differences to the first over common seeds, with 95 % intervals.
            WHAT is a policy (gps, gps:rotation), a learner (der), both ("der gps:rotation"), or the
            id of a run, which stands for all seeds of its spec; without WHAT: all runs
  export    csv and json: one entry per run; md and latex: the table of compare
  rm        remove runs, with their JSON files and checkpoints in the folder of the store; runs
            that a process is working on are kept

  --store FILE    the store (results/runs.sqlite)
  --benchmark B   --learner L   --policy P   --status running|done|failed|interrupted
                  filters: only these runs (tables show only finished runs)
  --format F      compare: text | csv | json | md | latex (text)
                  export: csv | json | md | latex (csv)
  --output FILE   write to a file instead of standard output (also -o)
  --yes           remove without asking (also -y)

Example: compare GPS with a reservoir, both with DER, over all runs so far
  gpscl runs compare "der reservoir" "der gps:permutation" --benchmark p-mnist
)";

struct Action {
  const char* name;
  void (*execute)(const RunsOptions&);
  bool takes_words;
  const char* options;  // the options that this action accepts, besides --store
};
constexpr std::array kActions = {
    Action{"list", list_runs, false, "--benchmark --learner --policy --status --limit"},
    Action{"show", show_run, true, "--json"},
    Action{"compare", compare_runs, true, "--benchmark --learner --policy --format --output"},
    Action{"export", export_runs, false,
           "--benchmark --learner --policy --status --format --output"},
    Action{"rm", remove_runs, true, "--benchmark --learner --policy --status --yes"}};

// Throws UsageError for a word or option that the action would ignore.
void check_is_expected(const Action& action, const CLI::App& command, const RunsOptions& options) {
  const std::vector<std::string> known = split(action.options, ' ');
  if (!action.takes_words && !options.what.empty()) {
    throw UsageError(
        fmt::format("gpscl runs {} takes no '{}'; --benchmark, --learner, --policy and --status "
                    "choose runs",
                    action.name, options.what.front()));
  }
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || option->get_positional() || option->get_lnames().empty()) continue;
    const std::string name = "--" + option->get_lnames().front();
    if (name == "--store" || std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw UsageError(
        fmt::format("gpscl runs {} takes no {}; it takes {}", action.name, name, join(known)));
  }
}

}  // namespace

void add_runs_command(CLI::App& app, int& /*exit_code*/) {
  CLI::App* command = app.add_subcommand("runs", kRunsHelp);
  command->set_help_flag();
  const auto options = std::make_shared<RunsOptions>();
  const auto action = std::make_shared<std::string>();
  command->add_option("action", *action);
  command->add_option("what", options->what);
  command->add_flag("-h,--help", options->wants_help);
  command->add_option("--store", options->store);
  command->add_option("--benchmark", options->benchmark);
  command->add_option("--learner", options->learner);
  command->add_option("--policy", options->policy);
  command->add_option("--status", options->status);
  command->add_option("--format", options->format);
  command->add_option("-o,--output", options->output);
  command->add_option("--limit", options->limit)->check(CLI::Range(0, 1000000000));
  command->add_flag("--json", options->wants_json);
  command->add_flag("-y,--yes", options->is_sure);
  command->callback([options, action, command] {
    if (options->wants_help) {
      fmt::print("{}", kRunsHelp);
      return;
    }
    std::vector<std::string> known;
    for (const Action& each : kActions) {
      if (*action == each.name) {
        check_is_expected(each, *command, *options);
        each.execute(*options);
        return;
      }
      known.emplace_back(each.name);
    }
    throw UsageError(action->empty()
                         ? "no action given; known: " + join(known)
                         : fmt::format("unknown action '{}'; known: {}", *action, join(known)));
  });
}

}  // namespace gps::cli
