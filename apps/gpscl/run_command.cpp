#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "commands.h"
#include "gps/experiments/run.h"
#include "gps/nn/catalog.h"
#include "gps/report/comparison.h"
#include "gps/report/picture.h"
#include "progress_display.h"
#include "run_options.h"

namespace gps::cli {
namespace {

// Written by the signal handler, so it cannot be anything but static.
StopFlag stop_requested;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

extern "C" void request_stop(int signal_number) {
  stop_requested.request();
  std::signal(signal_number, SIG_DFL);  // a second one ends the program at once
}

struct Job {
  Spec spec;
  std::uint64_t seed = 0;
  std::string label;
};

std::string describe(const std::vector<Spec>& specs, std::size_t seeds) {
  const Spec& spec = specs.front();
  std::vector<std::string> learners;
  for (const Spec& each : specs) {
    const std::string& name = each.learner.name;
    if (std::find(learners.begin(), learners.end(), name) == learners.end())
      learners.push_back(name);
  }
  const std::string scenario = is_split(spec.benchmark.name) ? " (task-incremental)" : "";
  std::string text = fmt::format("{}{}, {} {}, {} tasks", spec.benchmark.name, scenario,
                                 learners.size() > 1 ? "learners" : "learner", join(learners),
                                 spec.benchmark.tasks);
  if (spec.benchmark.examples_per_task > 0)
    text += fmt::format(" of up to {} examples", spec.benchmark.examples_per_task);
  if (spec.network.model != "mlp") text += ", model " + spec.network.model;
  if (spec.benchmark.imbalance != 1)
    text += fmt::format(", imbalance {}", spec.benchmark.imbalance);
  const auto any = [&](const auto& holds) {
    return std::any_of(specs.begin(), specs.end(), holds);
  };
  if (any([](const Spec& each) { return each.policy != "none"; }))
    text += fmt::format(", memory {}", spec.memory);
  // Others have losses of their own.
  if (any([](const Spec& each) {
        const std::string& name = each.learner.name;
        return name == "er" || name == "gss" || name == "hal";
      })) {
    text += fmt::format(", loss {}", name_of(spec.learner.er_loss));
  }
  return text + fmt::format(", {} epoch{}, {} seed{}", spec.training.epochs,
                            spec.training.epochs == 1 ? "" : "s", seeds, seeds == 1 ? "" : "s");
}

std::string accuracy_of(const RunResult& result) {
  std::string text = fmt::format("accuracy {:.2f} %", 100 * result.metrics.average_accuracy);
  if (result.class_incremental)
    text += fmt::format(" (class-incremental {:.2f} %)",
                        100 * result.class_incremental->metrics.average_accuracy);
  return text;
}

// Makes the folder, or says why not, before hours of work want to be kept in it.
void prepare_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || access(folder.c_str(), W_OK) != 0) {
    const std::string reason = error ? error.message() : "it cannot be written to";
    throw UsageError(fmt::format("--out '{}' cannot be used: {}", folder.string(), reason));
  }
}

// A guess, in er's steps: it only decides who goes first.
double expected_cost(const Spec& spec) {
  constexpr double kSimulation = 1.1;
  return relative_cost(spec.learner.name) * (spec.policy == "gps" ? kSimulation : 1.0);
}

// Seed by seed, as the jobs come, and within a seed the longest first: workers then end together.
std::vector<std::size_t> order_of_work(const std::vector<Job>& jobs, std::size_t jobs_a_seed) {
  std::vector<std::size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t first = 0; first < order.size(); first += jobs_a_seed) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
    std::stable_sort(begin, begin + static_cast<std::ptrdiff_t>(jobs_a_seed),
                     [&](std::size_t a, std::size_t b) {
                       return expected_cost(jobs[a].spec) > expected_cost(jobs[b].spec);
                     });
  }
  return order;
}

// Makes the network once, so that a device or a file that is not what it should be is told before
// any work starts. The mlp can always be made.
void check_network(const Spec& spec, const BenchmarkSource& source) {
  if (spec.network.model == "mlp" && spec.network.weights.empty()) return;
  const auto stream = source.stream(0);
  make_network(spec.network, stream->shape(), stream->classes(), {}, Rng(0));
}

int execute(const RunOptions& options) {
  const std::vector<Spec> specs = options.specs();
  const std::vector<std::uint64_t> seeds = options.all_seeds();
  prepare_folder(options.out);
  const auto source = open_benchmark(specs.front().benchmark, options.data);
  check_network(specs.front(), *source);

  // Seed by seed, so that an early end leaves comparable policies.
  std::vector<Job> jobs;
  std::vector<std::string> labels;
  for (const std::uint64_t seed : seeds) {
    for (const Spec& spec : specs) {
      const std::string name = run_label(spec, options.learners.size() > 1);
      jobs.push_back({spec, seed, fmt::format("{} seed {}", name, seed)});
      labels.push_back(jobs.back().label);
    }
  }

  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  Executor executor(options.jobs > 0 ? options.jobs : static_cast<int>(cores));
  std::vector<std::optional<RunResult>> finished(jobs.size());
  {
    ProgressDisplay display(labels, isatty(STDERR_FILENO) != 0);
    const std::vector<std::size_t> order = order_of_work(jobs, specs.size());
    executor.for_each(jobs.size(), [&](std::size_t nth) {
      const std::size_t k = order[nth];
      if (stop_requested.is_requested()) return;
      try {
        RunHooks hooks{
            &stop_requested, [&](const RunProgress& progress) { display.update(k, progress); }, {}};
        if (options.exported.any()) {
          hooks.finished = [&](const RunResult& result, const Learner& learner,
                               const Memory& memory, const ImageShape& shape) {
            export_run(result, learner, memory, shape, options.exported, options.out);
          };
        }
        RunResult result = run(jobs[k].spec, jobs[k].seed, *source, executor, hooks);
        const auto path = save(result, options.out);
        display.finish(k, fmt::format("{}, kept in {}", accuracy_of(result), path.string()));
        finished[k] = std::move(result);
      } catch (const Interrupted&) {
        return;
      } catch (const std::exception& error) {
        display.finish(k, fmt::format("failed: {}", error.what()));
      }
    });
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
    fmt::print("\n{}\n\n{}", describe(specs, seeds.size()), comparison_table(results));
    if (seeds.size() > 1)
      fmt::print("mean ± standard deviation over seeds{}\n",
                 specs.size() > 1 ? "; differences with 95 % intervals, seed by seed" : "");
    for (const RunResult& result : results) {
      if (!options.picture || result.memory.empty() || result.seed != seeds.front()) continue;
      fmt::print("\n{} seed {}\n", run_label(result.spec, options.learners.size() > 1),
                 result.seed);
      const std::string points = switching_points_picture(result);
      if (!points.empty())
        fmt::print(" switching points: # class-balanced ring part, . random part\n{}", points);
      fmt::print(" memory after the last task: # ring part, . reservoir part\n{}",
                 composition_picture(result));
    }
  }
  if (stop_requested.is_requested()) {
    fmt::print(stderr, "gpscl: interrupted; {} of {} runs were finished and are kept in {}\n",
               results.size(), jobs.size(), options.out.string());
    return 130;
  }
  return results.size() == jobs.size() ? 0 : 1;
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("run");
  command->set_help_flag();
  const auto options = std::make_shared<RunOptions>();
  options->add_to(*command);
  command->callback([options, command, &exit_code] {
    if (options->wants_help || options->wants_all_help) {
      fmt::print("{}{}", kRunHelp, options->wants_all_help ? kRunHelpAll : "");
      return;
    }
    if (command->count("benchmark") == 0) {
      throw UsageError("which benchmark? known: " + join(names(benchmark_catalog())));
    }
    options->resolve();
    exit_code = execute(*options);
  });
}

}  // namespace gps::cli
