#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "gps/core/tell_user.h"
#include "gps/core/text/printable.h"
#include "gps/experiments/planning/recipe.h"
#include "gps/experiments/scheduling/run_many.h"
#include "gps/report/comparison.h"
#include "gps/report/picture.h"
#include "gps/report/planned.h"
#include "patience.h"
#include "run/run_options.h"
#include "run/run_setup.h"
#include "signals.h"
#include "terminal/progress_display.h"

namespace gps::cli {
namespace {

// Returns for example ", model resnet18 of width 20 in bf16 (own kernels)".
std::string network_text(const NetworkOptions& network) {
  std::string text = ", model " + network.model;
  if (network.width > 0) text += fmt::format(" of width {}", network.width);
  if (network.precision != Precision::fp32) text += " in " + name_of(network.precision);
  if (!network.weights.empty()) text += " from " + network.weights;
  if (network.model == "resnet18")
    text += is_fused_resnet18(network) ? " (own kernels)" : " (LibTorch)";
  return text;
}

// Returns ", learning rate 0.1", or ", learning rates 0.1 (er), 0.001 (ogd)" if they differ.
std::string learning_rate_text(const std::vector<Spec>& specs) {
  std::vector<std::string> rates;
  bool differ = false;
  for (const Spec& spec : specs) {
    differ = differ || spec.learner.learning_rate != specs.front().learner.learning_rate;
    const std::string rate = fmt::format("{} ({})", spec.learner.learning_rate, spec.learner.name);
    if (std::find(rates.begin(), rates.end(), rate) == rates.end()) rates.push_back(rate);
  }
  if (differ) return ", learning rates " + join(rates);
  return fmt::format(", learning rate {}", specs.front().learner.learning_rate);
}

// `skipped` is the number of the user's images that could not be read.
std::string describe(const std::vector<Spec>& specs, std::size_t seeds, std::size_t skipped) {
  const Spec& spec = specs.front();
  std::vector<std::string> learners;
  for (const Spec& each : specs) {
    const std::string name = run_names(each).learner;
    if (std::find(learners.begin(), learners.end(), name) == learners.end())
      learners.push_back(name);
  }
  const std::string scenario = is_split(spec.benchmark) ? " (each task has its own classes)" : "";
  std::string text = fmt::format("{}{}, {} {}, {} task{}", spec.benchmark.name, scenario,
                                 learners.size() > 1 ? "learners" : "learner", join(learners),
                                 spec.benchmark.tasks, spec.benchmark.tasks == 1 ? "" : "s");
  if (const auto& own = spec.benchmark.own) {
    text += fmt::format(", {} images of {} x {} pixels{}", own->images - skipped, own->shape.width,
                        own->shape.height, own->shape.channels == 3 ? " in colour" : "");
  }
  if (spec.benchmark.examples_per_task > 0)
    text += fmt::format(" of up to {} examples", spec.benchmark.examples_per_task);
  if (spec.benchmark.class_order != "natural") {
    text += spec.benchmark.class_order == "random" ? ", classes in random order"
                                                   : ", classes in a given order";
  }
  if (!spec.benchmark.augment) text += ", not augmented";
  if (spec.benchmark.imbalance != 1)
    text += fmt::format(", imbalance {}", spec.benchmark.imbalance);
  const auto any = [&](const auto& holds) {
    return std::any_of(specs.begin(), specs.end(), holds);
  };
  if (any([](const Spec& each) { return each.policy.name != "none"; })) {
    text += ", memory " + text_of(spec_option("memory").get(spec));
    if (spec.codec != Spec().codec) text += " as " + spec.codec;
  }
  text += network_text(spec.network);
  if (!is_planned(spec, "lr")) text += learning_rate_text(specs);
  // Only some learners use this option; the others have their own losses.
  const SpecOption& loss = spec_option("er_loss");
  const auto unusual = std::find_if(specs.begin(), specs.end(), [&](const Spec& each) {
    return loss.concerns(each) && loss.get(each) != loss.row.usual;
  });
  if (unusual != specs.end()) text += fmt::format(", loss {}", text_of(loss.get(*unusual)));
  if (!spec.planning.knobs.empty()) {
    text += ", planned: " + join(knobs_from(spec.planning.knobs));
  }
  if (spec.training.steps > 0) {
    text += fmt::format(", {} steps a task", spec.training.steps);
  } else if (!is_planned(spec, "length")) {
    text += fmt::format(", {} epoch{}", spec.training.epochs, spec.training.epochs == 1 ? "" : "s");
  }
  return text + fmt::format(", {} seed{}", seeds, seeds == 1 ? "" : "s");
}

// Prints one line for each planned run.
void print_predictions(const std::vector<RunResult>& results, bool has_several_learners) {
  for (const RunResult& result : results) {
    const std::string text = prediction_text(result);
    if (text.empty()) continue;
    fmt::print("{} seed {}: {}\n", printable(run_label(result.spec, has_several_learners)),
               result.seed, text);
  }
}

// Returns the command that continues this one after an interruption.
std::string resuming(const RunOptions& options) {
  std::string line;
  for (const std::string& word : options.command_line) {
    if (word != "--restart" && word != "--resume") line += word + " ";
  }
  return line + "--resume";
}

// Checkpoints may contain hours of work, so they are not overwritten unless the user asks for it.
void settle_checkpoints(const RunOptions& options, const std::vector<Job>& jobs, bool has_ranks) {
  for (const Job& job : jobs) {
    Checkpoints checkpoints(checkpoint_file(options.out, job.spec, job.seed));
    if (options.resume && has_ranks && simulates(job.spec.policy) && checkpoints.exists()) {
      throw UsageError(fmt::format(
          "{}: under mpirun, a run that searches cannot continue from a checkpoint; use --resume "
          "without mpirun",
          checkpoints.file().string()));
    }
    if (options.resume) continue;
    if (!options.restart && checkpoints.exists()) {
      throw UsageError(fmt::format(
          "{}: this run was interrupted; add --resume to continue it, or --restart to start again",
          checkpoints.file().string()));
    }
    checkpoints.remove();
  }
}

int execute(const RunOptions& options) {
  const std::unique_ptr<Cluster> cluster = join_cluster();
  int workers = workers_for(options.jobs, cluster.get());
  if (cluster && cluster->rank() > 0) {
    serve(*cluster, options.data, workers, stop_on_signals());
    return 0;
  }
  const std::vector<Spec> specs = options.specs();
  const std::vector<std::uint64_t> seeds = options.all_seeds();
  if (!options.chosen.empty())
    tell_user("{}: chosen: {}; your own choice counts (gpscl run --help)",
              specs.front().benchmark.name, options.chosen);
  if (specs.size() * seeds.size() > static_cast<std::size_t>(kMostRuns)) {
    throw OptionError(
        "seeds", fmt::format("must be fewer: {} policies x {} seeds = {} runs, and at most {} "
                             "are possible",
                             specs.size(), seeds.size(), specs.size() * seeds.size(), kMostRuns));
  }
  // Without --jobs, leave cores free for the operator threads of each worker.
  if (options.jobs == 0) workers = std::max(1, workers / specs.front().network.operator_threads);
  prepare_folder(options.out);
  if (!options.tensorboard.empty()) prepare_folder(options.tensorboard, "--tensorboard");

  // Seed by seed, so that all policies have the same seeds if the work ends early.
  std::vector<Job> jobs;
  std::vector<std::string> labels;
  for (const std::uint64_t seed : seeds) {
    for (const Spec& spec : specs) {
      const std::string name = run_label(spec, options.learners.size() > 1);
      jobs.push_back({spec, seed, fmt::format("{} seed {}", name, seed)});
      labels.push_back(jobs.back().label);
    }
  }

  settle_checkpoints(options, jobs, cluster != nullptr);
  Store store(store_path(options.store, options.out), store_options());
  StopFlag& stop = stop_on_signals();
  const auto [executor, worker] =
      hire(cluster.get(), jobs, options.data, workers, Searches::together, stop);
  std::vector<std::optional<RunResult>> finished(jobs.size());
  {
    ProgressDisplay display(labels, isatty(STDERR_FILENO) != 0);
    const RunManyHooks hooks{
        .started = {},
        .progress = [&](std::size_t k, const RunProgress& p) { display.update(k, p); },
        .tell = [&](std::size_t k, const std::string& line) { display.tell(k, line); },
        .ended =
            [&](std::size_t k, const JobEnd& end, const RunResult* result) {
              if (end.state == JobState::failed) display.finish(k, "failed: " + end.error);
              if (result == nullptr) return;
              display.finish(k,
                             fmt::format("{}{}, kept in {}",
                                         end.state == JobState::was_done ? "finished before: " : "",
                                         accuracy_of(*result), end.file.string()));
              for (const std::string& line : warning_lines(*result)) display.tell(k, line);
              finished[k] = *result;
            }};
    const RunManyOptions how{.out = options.out,
                             .what = options.resume ? Redo::unfinished : Redo::all,
                             .checkpoints = options.checkpoints,
                             .exported = options.exported,
                             .tensorboard = {options.tensorboard, /*examples=*/!cluster}};
    std::vector<std::size_t> order = longest_first(jobs, specs.size());
    if (cluster) {
      // All ranks together do the runs that search, one run at a time. Then the ranks share the
      // other runs.
      const auto others = std::stable_partition(order.begin(), order.end(), [&](std::size_t k) {
        return simulates(jobs[k].spec.policy);
      });
      Executor one(1);
      run_many(jobs, {order.begin(), others}, *worker, one, store, stop, how, hooks);
      order.erase(order.begin(), others);
    }
    run_many(jobs, order, *worker, *executor, store, stop, how, hooks);
  }

  std::vector<RunResult> results;
  for (std::optional<RunResult>& result : finished) {
    if (result) results.push_back(std::move(*result));
  }
  if (options.json) {
    nlohmann::json all = nlohmann::json::array();
    for (const RunResult& result : results) all.push_back(to_json(result));
    fmt::print("{}\n", all.dump(1));
  } else if (!results.empty()) {
    fmt::print("\n{}\n\n{}",
               printable(describe(specs, seeds.size(), results.front().skipped_images)),
               comparison_table(results));
    if (seeds.size() > 1)
      fmt::print("mean ± standard deviation over seeds{}\n",
                 specs.size() > 1 ? "; differences with 95 % intervals, seed by seed" : "");
    print_predictions(results, options.learners.size() > 1);
    for (const RunResult& result : results) {
      if (!options.picture || result.memory.empty() || result.seed != seeds.front()) continue;
      fmt::print("\n{} seed {}\n", printable(run_label(result.spec, options.learners.size() > 1)),
                 result.seed);
      const std::string points = switching_points_picture(result);
      if (!points.empty())
        fmt::print(" switching points: # class-balanced ring part, . random part\n{}", points);
      fmt::print(" memory after the last task: # ring part, . reservoir part\n{}",
                 composition_picture(result));
      const std::string missing = missing_classes_text(result);
      if (!missing.empty()) fmt::print("  {}\n", missing);
    }
  }
  if (stop.is_requested()) {
    tell_user("gpscl: interrupted; {} of {} run{} finished and kept in {}; continue with: {}{}",
              results.size(), jobs.size(), jobs.size() == 1 ? "" : "s", options.out,
              cluster ? "mpirun … " : "", resuming(options));
    return signal_exit_code();
  }
  return results.size() == jobs.size() ? 0 : 1;
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code, const std::vector<std::string>& command_line) {
  CLI::App* command = app.add_subcommand("run", run_help_all());
  command->set_help_flag();
  const auto options = std::make_shared<RunOptions>();
  options->command_line = command_line;
  options->add_to(*command);
  command->callback([options, command, &exit_code] {
    if (options->wants_help || options->wants_all_help) {
      fmt::print("{}", options->wants_all_help ? run_help_all() : run_help());
      return;
    }
    if (command->count("benchmark") == 0) {
      throw UsageError("no benchmark given; known: " + join(names(benchmark_catalog())) +
                       ", or the path of your own images");
    }
    options->resolve();
    exit_code = execute(*options);
  });
}

}  // namespace gps::cli
