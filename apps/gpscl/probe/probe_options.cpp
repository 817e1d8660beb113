#include "probe/probe_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "command_table.h"

namespace gps::cli {
namespace {

const std::vector<std::string> kProbeFormats = {"text", "csv", "json", "md"};
constexpr int kMostPoints = 10'000;

// The options that a kind of probe does not use, whatever else is given. It refuses them and does
// not offer them.
const std::vector<std::string>& unused_by(const std::string& kind) {
  static const std::vector<std::string> by_curves = {
      "policy", "at", "after", "count", "objective", "score", "unknown-length", "checkpoint-every"};
  static const std::map<std::string, std::vector<std::string>> all = {
      {"ring-size", by_curves},
      {"one-minimum", by_curves},
      {"forgetting", {"points", "ratios", "after", "count"}},
      {"difficulty",
       {"policy", "learner", "after", "at", "points", "ratios", "measure", "checkpoint-every"}},
      {"zero-shot", {"task", "at", "points", "ratios", "measure", "checkpoint-every"}},
      {"ratio-distance", {"policy", "task", "at", "points", "ratios", "measure", "after", "count"}},
      {"time", {"task", "at", "points", "ratios", "measure", "after", "count"}}};
  return all.at(kind);
}

}  // namespace

const OptionTable<ProbeArguments>& probe_arguments() {
  static const std::vector<std::string> measures = {
      name_of(Measure::test_loss),   name_of(Measure::test_accuracy),
      name_of(Measure::loss),        name_of(Measure::accuracy),
      name_of(Measure::global_loss), name_of(Measure::global_accuracy)};
  static const OptionTable<ProbeArguments> table = {
      option("task", &ProbeArguments::task, "the task, or several")
          .called("J,..")
          .usually("1; one-minimum: the first five"),
      option("points", &ProbeArguments::points, "number of ring sizes, from 0 to all")
          .between(2, kMostPoints),
      option("ratios", &ProbeArguments::ratios, "these ring sizes instead, as shares")
          .called("R,.."),
      option("at", &ProbeArguments::at, "forgetting: share of the ring part")
          .between(0, 1)
          .called("R"),
      option("after", &ProbeArguments::after, "zero-shot: learnt tasks").called("I"),
      option("count", &ProbeArguments::count, "difficulty, zero-shot: tested tasks"),
      option("measure", &ProbeArguments::measure, "measure to analyse: " + join(measures, " | "))
          .called("M")
          .usually(measures.front())
          .offers(measures),
      one_of("format", &ProbeArguments::format, kProbeFormats, join(kProbeFormats, " | "))
          .called("F"),
      option("rerun", &ProbeArguments::again, "do recorded analyses again"),
  };
  return table;
}

void ProbeOptions::add_to(CLI::App& command) {
  run.add_to(command, RunCommand::probe);
  bind(command, probe_arguments(), own);
  for (const std::string& option : unused_by(kind)) command.get_option("--" + option)->group("");
}

bool ProbeOptions::was_given(const std::string& option) const {
  return run.was_given(option) || std::find(given_.begin(), given_.end(), option) != given_.end();
}

void ProbeOptions::refuse(const std::vector<std::string>& options) const {
  for (const std::string& option : options) {
    if (was_given(option))
      throw UsageError(fmt::format("gpscl probe {} does not take `{}`", kind, option));
  }
}

void ProbeOptions::forget(const std::vector<std::string>& options) {
  for (const std::string& option : options) run.given.erase(option);
}

void ProbeOptions::resolve(const CLI::App& command) {
  for (const Option& row : probe_arguments().rows()) {
    if (command.count("--" + row.flag) > 0) given_.push_back(row.flag);
  }
  if (command.count("benchmark") == 0)
    throw UsageError("no benchmark given; known: " + join(names(benchmark_catalog())));
  refuse(unused_by(kind));
  if (was_given("points") && was_given("ratios"))
    throw UsageError("--points and --ratios both set the ring sizes; leave one of them out");
  // Several futures mean several curves. The runs that the curves start from have no future.
  const bool is_of_runs = kind == "time" || (kind == "forgetting" && was_given("policy"));
  if (was_given("future") && !is_of_runs) {
    futures_ = run.given.at("future");
    run.given.erase("future");
    given_.emplace_back("future");
  }
  run.resolve();
}

std::vector<int> ProbeOptions::tasks(int most) const {
  std::vector<int> all;
  if (was_given("task")) {
    for (const std::string& task : split(own.task, ',')) {
      all.push_back(parse_whole("task", task, "whole numbers with commas between them"));
    }
    return all;
  }
  for (int task = 1; task <= std::min(most, std::max(1, run.bases.front().benchmark.tasks - 1));
       ++task)
    all.push_back(task);
  return all;
}

std::vector<std::string> ProbeOptions::futures(const std::vector<std::string>& otherwise) const {
  std::vector<std::string> named = was_given("future") ? split(futures_, ',') : otherwise;
  for (const std::string& future : named) {
    if (std::count(named.begin(), named.end(), future) > 1)
      throw OptionError("future", fmt::format("names '{}' twice", future));
  }
  return named;
}

Measure ProbeOptions::measure(Measure otherwise) const {
  return was_given("measure") ? measure_from(own.measure) : otherwise;
}

std::vector<double> ProbeOptions::ratios() const {
  if (!was_given("ratios")) return even_ratios(own.points);
  std::vector<double> all;
  for (const std::string& ratio : split(own.ratios, ','))
    all.push_back(parse_real("ratios", ratio, "numbers with commas between them"));
  return all;
}

std::vector<Spec> ProbeOptions::specs(const std::vector<std::string>& policies) {
  if (!policies.empty()) run.policies = policies;
  return run.specs();
}

ProbeOptions::Curves ProbeOptions::curves(const std::vector<int>& of_tasks,
                                          const std::vector<std::string>& of_futures,
                                          const std::vector<double>& of_ratios) {
  refuse({"policy", "objective", "score", "unknown-length", "checkpoint-every"});  // by forgetting
  if (run.bases.size() > 1) throw UsageError("gpscl probe takes one --learner");
  Spec& base = run.bases.front();
  RingSizeOptions options;
  const auto number = [&](const char* key) { return std::get<int>(setting_of(base.policy, key)); };
  options.epochs = number("simulation_epochs");
  options.examples = number("simulation_examples");
  options.window = number("window");
  options.score_examples = number("score_examples");
  options.ratios = of_ratios;
  // These options belong to the curve. The run of `mixed` that it starts from does not take them.
  forget({"sim-epochs", "sim-examples", "window", "score-examples"});
  options.spec = specs({"mixed"}).front();
  Curves all;
  for (const std::string& future : of_futures) {
    for (const int task : of_tasks) {
      options.future = future;
      options.task = task;
      validate(options);
      all.options.push_back(options);
      all.labels.push_back(fmt::format("{} task {}", future, task));
    }
  }
  return all;
}

}  // namespace gps::cli
