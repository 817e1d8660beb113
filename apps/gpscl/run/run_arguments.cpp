// The options of `gpscl run` that do not belong to a spec: --out, --seeds and so on.
#include <fmt/format.h>

#include "command_table.h"
#include "gps/core/text/text.h"
#include "gps/experiments/spec/presets.h"
#include "gps/experiments/store/store.h"
#include "run/run_options.h"
#include "terminal/option_text.h"

namespace gps::cli {
namespace {

// Returns the default policies of the learners that replay.
std::string default_policies() {
  std::vector<std::pair<std::string, std::string>> policies;
  for (const LearnerEntry& learner : learner_catalog()) {
    if (learner.replays)
      policies.emplace_back(learner.name, preset_policy(RunArguments().preset, learner.name));
  }
  return by_name(policies);
}

// Why other commands refuse options of a run.
constexpr const char* kNoFile = "it learns nothing and writes no file";
constexpr const char* kNoRun = "it is for single runs; use gpscl run";
constexpr const char* kRecorded = "it always uses recorded results, unless `rerun` is given";

const char* called(RunCommand command) {
  if (command == RunCommand::plan) return "gpscl plan";
  return command == RunCommand::probe ? "gpscl probe" : "gpscl run";
}

}  // namespace

const std::vector<RunArgument>& run_arguments() {
  static const std::vector<RunArgument> table = {
      {option("learner", &RunArguments::learner_list, "how a training step changes the network")
           .called("L,.."),
       {}},
      {option("policy", &RunArguments::policy_list, "which examples the memory keeps")
           .called("P,..")
           .usually(default_policies()),
       {}},
      {one_of("preset", &RunArguments::preset, names(preset_catalog()),
              "source of the default hyper-parameters"),
       {}},
      {option("seeds", &RunArguments::seeds, "run seeds 0 to N-1").between(1, kMostRuns),
       {{RunCommand::plan, "it makes one plan; use `seed`"}}},
      {option("seed", &RunArguments::seed, "run this seed only")
           .at_least(0)
           .called("S")
           .usually("all of --seeds"),
       {}},
      {jobs_option(&RunArguments::jobs, "runs or simulations (mpirun: of each rank)"), {}},
      {option("data", &RunArguments::data,
              "folder of the data sets (gpscl data get downloads some)")
           .called("DIR")
           .usually("none"),
       {}},
      {option("out", &RunArguments::out, "folder for results, one JSON file per run").called("DIR"),
       {{RunCommand::plan, kNoFile}}},
      {option("store", &RunArguments::store, "file that records the runs, for gpscl runs")
           .called("FILE")
           .usually("DIR/runs.sqlite"),
       {{RunCommand::plan, kNoFile}}},
      {option("resume", &RunArguments::resume, "skip finished runs and continue interrupted ones"),
       {{RunCommand::plan, kNoFile}, {RunCommand::probe, kRecorded}}},
      {option("restart", &RunArguments::restart,
              "start interrupted runs from the beginning (without this or --resume they are an "
              "error)"),
       {{RunCommand::plan, kNoFile}, {RunCommand::probe, kRecorded}}},
      {option(
           "checkpoint_every", &RunArguments::checkpoint_every,
           "minutes between checkpoints; 0: only at the end of each task; Nsteps: every N steps; "
           "off: none")
           .called("M"),
       {{RunCommand::plan, kNoFile}}},
      {option("export", &RunArguments::export_list,
              "model, memory or both (model,memory), for PyTorch, beside the results")
           .called("WHAT")
           .usually("none"),
       {{RunCommand::plan, kNoFile}, {RunCommand::probe, kNoRun}}},
      {option("json", &RunArguments::json, "print only the results, as JSON"),
       {{RunCommand::probe, "use `format` json"}}},
      {option("picture", &RunArguments::picture,
              "draw how each policy used the memory, for the first seed"),
       {{RunCommand::plan, kNoFile}, {RunCommand::probe, kNoRun}}},
      {option("tensorboard", &RunArguments::tensorboard,
              "event files, one folder per run: curves of accuracies, of forgetting and of ring "
              "sizes over the tasks, the accuracy matrix, and stored examples")
           .called("DIR")
           .usually("none"),
       {{RunCommand::plan, kNoFile}, {RunCommand::probe, kNoRun}}},
  };
  return table;
}

void RunOptions::read_arguments() {
  RunArguments& arguments = *this;
  arguments = RunArguments();
  for (const RunArgument& each : run_arguments()) {
    const auto at = given.find(each.row.flag);
    if (at == given.end()) continue;
    if (const auto why = each.refused_by.find(command_); why != each.refused_by.end()) {
      throw UsageError(
          fmt::format("{} does not take `{}`: {}", called(command_), each.row.flag, why->second));
    }
    const OptionValue value = parse(each.row, at->second);
    check(each.row, value);
    each.set(arguments, value);
  }
  if (was_given("learner")) learners = split(learner_list, ',');
  if (was_given("policy")) policies = split(policy_list, ',');
  checkpoints = parse_checkpoints(checkpoint_every);
  exported = parse_export(export_list);
}

std::filesystem::path store_path(const std::filesystem::path& store,
                                 const std::filesystem::path& out) {
  return store.empty() ? out / "runs.sqlite" : store_file(store);
}

}  // namespace gps::cli
