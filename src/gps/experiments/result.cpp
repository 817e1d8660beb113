#include "gps/experiments/result.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "gps/core/files/files.h"
#include "gps/core/hash.h"
#include "gps/core/version.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

nlohmann::json optional_number(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

// Results without class accuracies have no metrics of classes.
bool is_for(const Metric& metric, const Measured& measured) {
  return metric.of != Metric::Of::last_classes || !measured.class_accuracy.empty();
}

nlohmann::json metrics_json(const Metrics& metrics, const Measured& measured) {
  nlohmann::json json = nlohmann::json::object();
  for (const Metric& metric : metric_catalog()) {
    if (is_for(metric, measured)) json[metric.name] = optional_number(metrics[metric.name]);
  }
  return json;
}

Measured measured_by(const RunResult& result) {
  return {result.accuracy, result.accuracy_at_initialisation, result.class_accuracy};
}

Measured measured_by(const ClassIncremental& among_all) {
  static const AccuracyMatrix not_measured;
  return {among_all.accuracy, among_all.accuracy_at_initialisation, not_measured};
}

nlohmann::json decision_json(const Decision& decision) {
  nlohmann::json probes = nlohmann::json::array();
  for (const Trial& trial : decision.trials) {
    nlohmann::json& probe = probes.emplace_back(
        nlohmann::json{{"loss", trial.outcome.loss}, {"accuracy", trial.outcome.accuracy}});
    put_plan(trial.plan, probe);
  }
  nlohmann::json json = {
      {"task", decision.task}, {"quota", decision.quota}, {"probes", std::move(probes)}};
  put_plan(decision.plan, json);
  return json;
}

// JSON has no infinity: the loss of a simulated future in which the network diverged is written as
// null.
double loss_from(const nlohmann::json& json) {
  return json.is_null() ? std::numeric_limits<double>::infinity() : json.get<double>();
}

std::optional<double> optional_from(const nlohmann::json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

// Metrics that the version of the file did not have are computed now.
Metrics metrics_from(const nlohmann::json& json, const Measured& measured) {
  Metrics metrics = compute_metrics(measured);
  for (const Metric& metric : metric_catalog()) {
    if (json.contains(metric.name)) metrics.set(metric.name, optional_from(json.at(metric.name)));
  }
  if (!metrics[metric_catalog().front().name])
    throw DataError("not the result of a run: it has no accuracy");
  return metrics;
}

// Returns the name of the benchmark. For a path it is the last part, with only characters that are
// safe in a file name.
std::string short_name(const BenchmarkOptions& benchmark) {
  if (!benchmark.own) return benchmark.name;
  constexpr std::size_t kLongest = 60;
  fs::path last = fs::path(benchmark.name);
  last = last.has_filename() ? last.filename() : last.parent_path().filename();
  if (last.extension() == ".csv") last = last.stem();
  std::string name = last.string().substr(0, kLongest);
  for (char& c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
    if (!is_plain) c = '-';
  }
  return name.empty() || name.starts_with('.') ? "images" + name : name;
}

}  // namespace

Composition composition_of(const Memory& memory, int tasks, int classes) {
  const auto c = static_cast<std::size_t>(classes);
  Composition shares;
  for (int task = 1; task <= tasks; ++task) {
    shares.push_back({task, std::vector<std::size_t>(c), std::vector<std::size_t>(c)});
  }
  for (const Example& example : memory.examples()) {
    TaskShare& share = shares[static_cast<std::size_t>(example.task) - 1];
    ++(example.part == Part::ring ? share.ring : share.reservoir)[example.label];
  }
  return shares;
}

nlohmann::json to_json(const RunResult& result) {
  nlohmann::json decisions = nlohmann::json::array();
  for (const Decision& decision : result.decisions) decisions.push_back(decision_json(decision));
  nlohmann::json memory = nlohmann::json::array();
  for (std::size_t i = 0; i < result.memory.size(); ++i) {
    nlohmann::json shares = nlohmann::json::array();
    for (const TaskShare& share : result.memory[i]) {
      shares.push_back(
          {{"task", share.task}, {"ring", share.ring}, {"reservoir", share.reservoir}});
    }
    memory.push_back({{"after_task", i + 1}, {"tasks", std::move(shares)}});
  }
  nlohmann::json json = {
      {"schema", 1},
      {"version", kVersion},
      {"spec", to_json(result.spec)},
      {"seed", result.seed},
      {"scenario", result.class_incremental ? "task-incremental" : "domain-incremental"},
      {"accuracy", result.accuracy},
      {"class_accuracy", result.class_accuracy},
      {"accuracy_at_initialisation", result.accuracy_at_initialisation},
      {"metrics", metrics_json(result.metrics, measured_by(result))},
      {"switching_points", std::move(decisions)},
      {"memory", std::move(memory)},
      {"steps", result.steps},
      {"seconds",
       {{"training", result.seconds.training},
        {"simulation", result.seconds.simulation},
        {"evaluation", result.seconds.evaluation}}},
      {"peak_memory_bytes", result.peak_memory_bytes},
  };
  if (!result.class_names.empty()) json["class_names"] = result.class_names;
  if (!result.task_names.empty()) json["task_names"] = result.task_names;
  if (result.skipped_images > 0) json["skipped_images"] = result.skipped_images;
  if (!result.warnings.empty()) json["warnings"] = result.warnings;
  if (result.class_incremental) {
    const ClassIncremental& among_all = *result.class_incremental;
    json["labels"] = result.labels;
    json["class_incremental"] = {
        {"accuracy", among_all.accuracy},
        {"accuracy_at_initialisation", among_all.accuracy_at_initialisation},
        {"metrics", metrics_json(among_all.metrics, measured_by(among_all))},
    };
  }
  return json;
}

RunResult result_from_json(const nlohmann::json& json) try {
  if (json.at("schema") != 1) {
    throw DataError(
        fmt::format("a result of schema {}; this version reads 1", json.at("schema").dump()));
  }
  RunResult result;
  result.spec = spec_from_json(json.at("spec"));
  json.at("seed").get_to(result.seed);
  json.at("accuracy").get_to(result.accuracy);
  json.at("class_accuracy").get_to(result.class_accuracy);
  json.at("accuracy_at_initialisation").get_to(result.accuracy_at_initialisation);
  result.metrics = metrics_from(json.at("metrics"), measured_by(result));
  for (const nlohmann::json& point : json.at("switching_points")) {
    Decision decision{point.at("task").get<int>(), plan_from_json(point),
                      point.at("quota").get<std::size_t>()};
    for (const nlohmann::json& probe : point.at("probes")) {
      decision.trials.push_back(
          {plan_from_json(probe),
           {loss_from(probe.at("loss")), probe.at("accuracy").get<double>()}});
    }
    result.decisions.push_back(std::move(decision));
  }
  for (const nlohmann::json& after : json.at("memory")) {
    Composition shares;
    for (const nlohmann::json& share : after.at("tasks")) {
      shares.push_back({share.at("task").get<int>(),
                        share.at("ring").get<std::vector<std::size_t>>(),
                        share.at("reservoir").get<std::vector<std::size_t>>()});
    }
    result.memory.push_back(std::move(shares));
  }
  json.at("steps").get_to(result.steps);
  const nlohmann::json& seconds = json.at("seconds");
  result.seconds = {seconds.at("training").get<double>(), seconds.at("simulation").get<double>(),
                    seconds.at("evaluation").get<double>()};
  json.at("peak_memory_bytes").get_to(result.peak_memory_bytes);
  if (json.contains("class_names")) json.at("class_names").get_to(result.class_names);
  if (json.contains("task_names")) json.at("task_names").get_to(result.task_names);
  if (json.contains("skipped_images")) json.at("skipped_images").get_to(result.skipped_images);
  if (json.contains("warnings")) json.at("warnings").get_to(result.warnings);
  if (json.contains("class_incremental")) {
    const nlohmann::json& among_all = json.at("class_incremental");
    json.at("labels").get_to(result.labels);
    ClassIncremental& read = result.class_incremental.emplace();
    among_all.at("accuracy").get_to(read.accuracy);
    among_all.at("accuracy_at_initialisation").get_to(read.accuracy_at_initialisation);
    read.metrics = metrics_from(among_all.at("metrics"), measured_by(read));
  }
  return result;
} catch (const nlohmann::json::exception& error) {
  throw DataError(fmt::format("not the result of a run: {}", error.what()));
}

std::string text_hash(const std::string& text) { return fmt::format("{:08x}", fnv1a_32(text)); }

std::string spec_hash(const Spec& spec) { return text_hash(to_json(spec).dump()); }

std::string file_name(const Spec& spec, std::uint64_t seed) {
  const std::string policy = spec.policy.name == "none" ? "" : "-" + spec.policy.name;
  return fmt::format("{}-{}{}-seed{}-{}.json", short_name(spec.benchmark), spec.learner.name,
                     policy, seed, spec_hash(spec));
}

RunResult read_result(const fs::path& path, const Spec& spec, std::uint64_t seed) {
  const std::string text = read_file(path);
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    if (json.at("spec") != to_json(spec) || json.at("seed") != seed)
      throw DataError(path.string() + ": the result of another run");
    return result_from_json(json);
  } catch (const nlohmann::json::exception& error) {
    throw DataError(fmt::format("{}: not a result: {}", path.string(), error.what()));
  }
}

fs::path save(const RunResult& result, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw DataError(fmt::format("{}: cannot be made: {}", folder.string(), error.message()));
  fs::path path = folder / file_name(result.spec, result.seed);
  write_file(path, to_json(result).dump(1) + '\n');
  return path;
}

}  // namespace gps
