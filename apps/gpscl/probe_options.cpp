#include "probe_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace gps::cli {
namespace {

template <typename Number>
Number number(const std::string& option, const std::string& text, const char* what) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw UsageError(fmt::format("{} must be {}, got '{}'", option, what, text));
  return value;
}

}  // namespace

void ProbeOptions::add_to(CLI::App& command) {
  run.add_to(command);
  const auto text = [&](const char* name, auto use) {
    command.add_option_function<std::string>(name, [this, name, use](const std::string& value) {
      own_.emplace_back(name);
      use(value);
    });
  };
  text("--task", [this](const std::string& v) { task_ = v; });
  text("--points",
       [this](const std::string& v) { points_ = number<int>("--points", v, "a whole number"); });
  text("--ratios", [this](const std::string& v) { ratios_ = v; });
  text("--at", [this](const std::string& v) { at_ = number<double>("--at", v, "a number"); });
  text("--after",
       [this](const std::string& v) { after = number<int>("--after", v, "a whole number"); });
  text("--count",
       [this](const std::string& v) { count = number<int>("--count", v, "a whole number"); });
  text("--measure", [this](const std::string& v) { measure_ = v; });
  text("--format", [this](const std::string& v) { format = v; });
  command.add_flag("--rerun", again);
}

bool ProbeOptions::was_given(const std::string& option) const {
  return std::find(run.given.begin(), run.given.end(), option) != run.given.end() ||
         std::find(own_.begin(), own_.end(), option) != own_.end();
}

void ProbeOptions::refuse(const std::vector<std::string>& options) const {
  for (const std::string& option : options) {
    if (was_given(option))
      throw UsageError(fmt::format("gpscl probe {} does not take {}", kind, option));
  }
}

void ProbeOptions::forget(const std::vector<std::string>& options) {
  std::erase_if(run.given, [&](const std::string& option) {
    return std::find(options.begin(), options.end(), option) != options.end();
  });
}

void ProbeOptions::resolve(const CLI::App& command) {
  if (command.count("benchmark") == 0)
    throw UsageError("which benchmark? known: " + join(names(benchmark_catalog())));
  if (run.json) throw UsageError("gpscl probe does not take --json; --format json is right");
  if (run.picture || run.resume || run.restart || was_given("--export")) {
    throw UsageError(
        "gpscl probe does not take --picture, --export, --resume or --restart; what is done is "
        "always taken from the store, unless --rerun is given");
  }
  const std::vector<std::string> formats = {"text", "csv", "json", "md"};
  if (std::find(formats.begin(), formats.end(), format) == formats.end())
    throw UsageError(fmt::format("unknown --format '{}'; known: {}", format, join(formats)));
  if (points_ < 2) throw UsageError(fmt::format("--points must be at least 2, got {}", points_));
  if (was_given("--points") && was_given("--ratios"))
    throw UsageError("--points and --ratios both say which ring sizes; leave one of them out");
  run.resolve();
}

std::vector<int> ProbeOptions::tasks(int most) const {
  std::vector<int> all;
  if (was_given("--task")) {
    for (const std::string& task : split(task_, ',')) {
      all.push_back(number<int>("--task", task, "whole numbers with commas between them"));
    }
    return all;
  }
  for (int task = 1; task <= std::min(most, std::max(1, run.bases.front().benchmark.tasks - 1));
       ++task)
    all.push_back(task);
  return all;
}

std::vector<std::string> ProbeOptions::futures(const std::vector<std::string>& otherwise) const {
  const std::vector<std::string> named =
      was_given("--future") ? split(run.bases.front().future, ',') : otherwise;
  for (const std::string& future : named) {
    if (std::count(named.begin(), named.end(), future) > 1)
      throw UsageError(fmt::format("--future names '{}' twice", future));
  }
  return named;
}

Measure ProbeOptions::measure(Measure otherwise) const {
  return was_given("--measure") ? measure_from(measure_) : otherwise;
}

double ProbeOptions::at() const {
  if (!(at_ >= 0 && at_ <= 1))
    throw UsageError(fmt::format("--at must be between 0 and 1, got {}", at_));
  return at_;
}

std::vector<double> ProbeOptions::ratios() const {
  if (!was_given("--ratios")) return even_ratios(points_);
  std::vector<double> all;
  for (const std::string& ratio : split(ratios_, ','))
    all.push_back(number<double>("--ratios", ratio, "numbers with commas between them"));
  return all;
}

std::vector<Spec> ProbeOptions::specs(const std::vector<std::string>& policies) {
  if (!policies.empty()) run.policies = policies;
  return run.specs();
}

ProbeOptions::Curves ProbeOptions::curves(const std::vector<int>& of_tasks,
                                          const std::vector<std::string>& of_futures,
                                          const std::vector<double>& of_ratios) {
  refuse({"--policy", "--after", "--count", "--objective", "--score", "--unknown-length"});
  if (run.bases.size() > 1) throw UsageError("gpscl probe takes one --learner");
  Spec& base = run.bases.front();
  RingSizeOptions options;
  options.epochs = base.simulation_epochs;
  options.examples = base.simulation_examples;
  options.window = base.window;
  options.score_examples = base.score_examples;
  options.ratios = of_ratios;
  // These are said of the curve, and mean nothing to the run of `mixed` that it starts from.
  forget({"--future", "--sim-epochs", "--sim-examples", "--window", "--score-examples"});
  base.future = Spec().future;
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
