// gpscl plan: makes the plan that `gpscl run --plan` would follow, and shows it.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "gps/core/tell_user.h"
#include "gps/experiments/spec/open_stream.h"
#include "gps/experiments/stream_plan.h"
#include "gps/report/planned.h"
#include "run/run_options.h"
#include "run/run_setup.h"
#include "signals.h"
#include "terminal/load_display.h"

namespace gps::cli {
namespace {

// What only this command has.
struct PlanArguments {
  std::string knobs;   // as `plan` of a run; empty: all
  std::string budget;  // empty: as a run
};

const OptionTable<PlanArguments>& plan_arguments() {
  static const OptionTable<PlanArguments> table = {
      option("knobs", &PlanArguments::knobs,
             "what may be chosen: some of learner,lr,length,weights,memory-batch,policy,codec")
          .called("KNOBS")
          .usually("all that is not given"),
      option("budget", &PlanArguments::budget,
             "work of planning, in percent of the steps of the run without a plan, or in seconds")
          .called("P%|Ss")
          .usually("150%, of long streams 75%"),
  };
  return table;
}

// Returns the specs of the request. `plan` of a run is `knobs` here, and a refusal says so.
std::vector<Spec> specs_of(RunOptions& options, const PlanArguments& own) try {
  if (!own.knobs.empty()) options.given["plan"] = own.knobs;
  if (!options.given.contains("plan")) options.given["plan"] = "all";
  options.resolve();
  return options.specs();
} catch (const OptionError& error) {
  if (own.knobs.empty() || error.flag() != "plan") throw;
  throw OptionError("knobs", error.problem());
}

int make_plan(RunOptions& options, const PlanArguments& own) {
  const PlanBudget budget = plan_budget_from(own.budget);
  if (!budget.percent.empty()) options.given["plan-budget"] = budget.percent;
  const std::vector<Spec> specs = specs_of(options, own);
  if (specs.size() > 1)
    throw UsageError("gpscl plan makes one plan; name one learner and one policy at most");
  const Spec& spec = specs.front();
  const std::uint64_t seed = options.all_seeds().front();
  StopFlag& stop = stop_on_signals();
  Executor executor(workers_for(options.jobs, nullptr));
  std::unique_ptr<BenchmarkSource> source;
  const bool is_terminal = isatty(STDERR_FILENO) != 0;
  {
    LoadDisplay display(is_terminal);
    source = open_stream(spec.benchmark, spec.network, options.data,
                         {.executor = &executor,
                          .stop = &stop,
                          .progress = [&](const LoadProgress& now) { display.update(now); },
                          .tell = [&](const std::string& lines) { display.tell(lines); }});
  }
  const auto benchmark = source->stream(seed);
  const auto show = [&](std::size_t count, double seconds) {
    if (is_terminal) show_user(fmt::format("\r\033[K{} settings tried, {:.0f} s", count, seconds));
  };
  const StreamPlan plan =
      make_stream_plan(spec, seed, *benchmark, executor, &stop, budget.seconds, show);
  if (is_terminal) show_user("\r\033[K");
  if (options.json) {
    fmt::print("{}\n", to_json(plan).dump(1));
    return 0;
  }
  fmt::print("{}\nTo follow this plan:\n  {}\n", plan_text(plan), command_of(plan));
  return 0;
}

}  // namespace

const CommandTable& plan_table() {
  static const CommandTable table = {
      R"(gpscl plan: choose how to learn a stream, without learning it

Usage: gpscl plan BENCHMARK|PATH [OPTIONS]

Imagines the stream from its first task, tries settings on it, and prints what it would choose, what
that is expected to reach, and the gpscl run command that does it. Writes no file.

)",
      {},
      plan_arguments().rows(),
      R"(
All options of gpscl run that define a run, and --seed, --jobs, --data and --json, are as there
(gpscl run --help-all). What is given is not chosen.

Example: how to learn ten tasks of Fashion-MNIST with 200 kB of memory
  gpscl plan p-fashion-mnist --memory 200kB --examples-per-task 5000
)"};
  return table;
}

void add_plan_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("plan", plan_table().help());
  command->set_help_flag();
  const auto options = std::make_shared<RunOptions>();
  const auto own = std::make_shared<PlanArguments>();
  options->add_to(*command, RunCommand::plan);
  bind(*command, plan_arguments(), *own);
  command->callback([options, own, command, &exit_code] {
    if (options->wants_help || options->wants_all_help) {
      fmt::print("{}", plan_table().help());
      return;
    }
    if (command->count("benchmark") == 0) {
      throw UsageError("no benchmark given; known: " + join(names(benchmark_catalog())) +
                       ", or the path of your own images");
    }
    exit_code = make_plan(*options, *own);
  });
}

}  // namespace gps::cli
