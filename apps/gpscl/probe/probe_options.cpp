#include "probe/probe_options.h"

#include <fmt/format.h>

#include <algorithm>

namespace gps::cli {
void ProbeOptions::add_to(CLI::App& command) {
  run.add_to(command);
  const auto text = [&](const char* name, auto use) {
    command.add_option_function<std::string>("--" + std::string(name),
                                             [this, name, use](const std::string& value) {
                                               own_.emplace_back(name);
                                               use(value);
                                             });
  };
  text("task", [this](const std::string& v) { task_ = v; });
  text("points", [this](const std::string& v) { points_ = parse_whole("points", v); });
  text("ratios", [this](const std::string& v) { ratios_ = v; });
  text("at", [this](const std::string& v) { at_ = parse_real("at", v); });
  text("after", [this](const std::string& v) { after = parse_whole("after", v); });
  text("count", [this](const std::string& v) { count = parse_whole("count", v); });
  text("measure", [this](const std::string& v) { measure_ = v; });
  text("format", [this](const std::string& v) { format = v; });
  command.add_flag("--rerun", again);
}

bool ProbeOptions::was_given(const std::string& option) const {
  return run.was_given(option) || std::find(own_.begin(), own_.end(), option) != own_.end();
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
  if (command.count("benchmark") == 0)
    throw UsageError("no benchmark given; known: " + join(names(benchmark_catalog())));
  if (was_given("json")) throw UsageError("gpscl probe does not take --json; use --format json");
  if (was_given("picture") || was_given("resume") || was_given("restart") || was_given("export")) {
    throw UsageError(
        "gpscl probe does not take --picture, --export, --resume or --restart; it always uses "
        "recorded results, unless --rerun is given");
  }
  const std::vector<std::string> formats = {"text", "csv", "json", "md"};
  if (std::find(formats.begin(), formats.end(), format) == formats.end())
    throw UsageError(fmt::format("unknown --format '{}'; known: {}", format, join(formats)));
  if (points_ < 2) throw OptionError("points", fmt::format("must be at least 2, got {}", points_));
  if (was_given("points") && was_given("ratios"))
    throw UsageError("--points and --ratios both set the ring sizes; leave one of them out");
  // Several futures mean several curves. The runs that the curves start from have no future.
  const bool is_of_runs = kind == "time" || (kind == "forgetting" && was_given("policy"));
  if (was_given("future") && !is_of_runs) {
    futures_ = run.given.at("future");
    run.given.erase("future");
    own_.emplace_back("future");
  }
  run.resolve();
}

std::vector<int> ProbeOptions::tasks(int most) const {
  std::vector<int> all;
  if (was_given("task")) {
    for (const std::string& task : split(task_, ',')) {
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
  const std::vector<std::string> named = was_given("future") ? split(futures_, ',') : otherwise;
  for (const std::string& future : named) {
    if (std::count(named.begin(), named.end(), future) > 1)
      throw OptionError("future", fmt::format("names '{}' twice", future));
  }
  return named;
}

Measure ProbeOptions::measure(Measure otherwise) const {
  return was_given("measure") ? measure_from(measure_) : otherwise;
}

double ProbeOptions::at() const {
  if (!(at_ >= 0 && at_ <= 1))
    throw OptionError("at", fmt::format("must be between 0 and 1, got {}", at_));
  return at_;
}

std::vector<double> ProbeOptions::ratios() const {
  if (!was_given("ratios")) return even_ratios(points_);
  std::vector<double> all;
  for (const std::string& ratio : split(ratios_, ','))
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
  refuse({"policy", "after", "count", "objective", "score", "unknown-length"});
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
