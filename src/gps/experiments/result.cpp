#include "gps/experiments/result.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "gps/core/files/files.h"
#include "gps/core/hash.h"
#include "gps/core/json_checksum.h"
#include "gps/core/version.h"
#include "gps/experiments/warnings.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

constexpr const char* kChecksum = "checksum";

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

[[noreturn]] void refuse_key(const std::string& key, const std::string& what) {
  throw DataError(fmt::format("not the result of a run: '{}' {}", key, what));
}

const nlohmann::json& at_key(const nlohmann::json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) refuse_key(key, "is missing");
  return object.at(key);
}

// Results of earlier versions have no checksum.
void check_checksum(const nlohmann::json& json) {
  if (!json.contains(kChecksum) || json.at(kChecksum) == json_checksum(json, kChecksum)) return;
  throw DamagedResult(fmt::format(
      "damaged: its checksum does not match; if you changed it on purpose, remove its key '{}'",
      kChecksum));
}

// Reads a value as it is. Not for whole numbers: the JSON library rounds and wraps them.
template <typename Value>
Value read_key(const nlohmann::json& object, const char* key) {
  try {
    return at_key(object, key).get<Value>();
  } catch (const nlohmann::json::exception&) {
    refuse_key(key, "has a value of the wrong type");
  }
}

const nlohmann::json& array_in(const nlohmann::json& object, const char* key) {
  const nlohmann::json& array = at_key(object, key);
  if (!array.is_array()) refuse_key(key, "is not an array");
  return array;
}

// Whole numbers that are not negative, and not above `most`.
std::uint64_t count_from(const nlohmann::json& json, const char* key,
                         std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
  const bool is_count =
      json.is_number_unsigned() || (json.is_number_integer() && json.get<std::int64_t>() >= 0);
  if (!is_count || json.get<std::uint64_t>() > most)
    refuse_key(key, fmt::format("has the value {}; expected a whole number", json.dump()));
  return json.get<std::uint64_t>();
}

std::uint64_t read_count(const nlohmann::json& object, const char* key) {
  return count_from(at_key(object, key), key);
}

int read_task(const nlohmann::json& object) {
  return static_cast<int>(
      count_from(at_key(object, "task"), "task", std::numeric_limits<int>::max()));
}

std::vector<std::size_t> read_counts(const nlohmann::json& object, const char* key) {
  std::vector<std::size_t> counts;
  for (const nlohmann::json& count : array_in(object, key))
    counts.push_back(count_from(count, key));
  return counts;
}

std::vector<std::vector<Label>> read_labels(const nlohmann::json& json) {
  std::vector<std::vector<Label>> labels;
  for (const nlohmann::json& own : array_in(json, "labels")) {
    if (!own.is_array()) refuse_key("labels", "is not an array of arrays");
    labels.emplace_back();
    for (const nlohmann::json& label : own) {
      labels.back().push_back(
          static_cast<Label>(count_from(label, "labels", std::numeric_limits<Label>::max())));
    }
  }
  return labels;
}

// JSON has no infinity: the loss of a simulated future in which the network diverged is written as
// null.
double read_loss(const nlohmann::json& object) {
  if (at_key(object, "loss").is_null()) return std::numeric_limits<double>::infinity();
  return read_key<double>(object, "loss");
}

Plan read_plan(const nlohmann::json& object) {
  for (const PlanKnob& knob : plan_knobs()) {
    if (knob.is_in_all_results || object.contains(knob.key)) read_count(object, knob.key);
  }
  return plan_from_json(object);
}

Decision read_decision(const nlohmann::json& point) {
  Decision decision{read_task(point), read_plan(point), read_count(point, "quota"), {}};
  for (const nlohmann::json& probe : array_in(point, "probes"))
    decision.trials.push_back(
        {read_plan(probe), {read_loss(probe), read_key<double>(probe, "accuracy")}});
  return decision;
}

Composition read_composition(const nlohmann::json& after) {
  Composition shares;
  for (const nlohmann::json& share : array_in(after, "tasks"))
    shares.push_back(
        {read_task(share), read_counts(share, "ring"), read_counts(share, "reservoir")});
  return shares;
}

// Metrics that the version of the file did not have are computed now.
Metrics read_metrics(const nlohmann::json& object, const Measured& measured) {
  const nlohmann::json& json = at_key(object, "metrics");
  Metrics metrics = compute_metrics(measured);
  for (const Metric& metric : metric_catalog()) {
    if (!json.contains(metric.name)) continue;
    if (json.at(metric.name).is_null()) {
      metrics.set(metric.name, std::nullopt);
    } else {
      metrics.set(metric.name, read_key<double>(json, metric.name.c_str()));
    }
  }
  if (!metrics[metric_catalog().front().name]) refuse_key("metrics", "has no average accuracy");
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
  if (!result.plan.is_empty()) json["plan"] = to_json(result.plan);
  if (result.memory_bytes > 0) json["memory_bytes"] = result.memory_bytes;
  if (!result.class_names.empty()) json["class_names"] = result.class_names;
  if (!result.task_names.empty()) json["task_names"] = result.task_names;
  if (result.skipped_images > 0) json["skipped_images"] = result.skipped_images;
  if (!result.warnings.empty()) json["warnings"] = result.warnings;
  if (result.has_collapsed) json["collapsed"] = true;
  if (result.class_incremental) {
    const ClassIncremental& among_all = *result.class_incremental;
    json["labels"] = result.labels;
    json["class_incremental"] = {
        {"accuracy", among_all.accuracy},
        {"accuracy_at_initialisation", among_all.accuracy_at_initialisation},
        {"metrics", metrics_json(among_all.metrics, measured_by(among_all))},
    };
  }
  json[kChecksum] = json_checksum(json);
  return json;
}

RunResult result_from_json(const nlohmann::json& json) {
  const nlohmann::json& schema = at_key(json, "schema");
  if (schema != 1)
    throw DataError(fmt::format("a result of schema {}; this version reads 1", schema.dump()));
  check_checksum(json);
  RunResult result;
  result.spec = spec_from_json(at_key(json, "spec"));
  result.seed = read_count(json, "seed");
  result.accuracy = read_key<AccuracyMatrix>(json, "accuracy");
  result.class_accuracy = read_key<AccuracyMatrix>(json, "class_accuracy");
  result.accuracy_at_initialisation =
      read_key<std::vector<double>>(json, "accuracy_at_initialisation");
  result.metrics = read_metrics(json, measured_by(result));
  for (const nlohmann::json& point : array_in(json, "switching_points"))
    result.decisions.push_back(read_decision(point));
  for (const nlohmann::json& after : array_in(json, "memory"))
    result.memory.push_back(read_composition(after));
  result.steps = read_count(json, "steps");
  const nlohmann::json& seconds = at_key(json, "seconds");
  result.seconds = {read_key<double>(seconds, "training"), read_key<double>(seconds, "simulation"),
                    read_key<double>(seconds, "evaluation")};
  result.peak_memory_bytes = read_count(json, "peak_memory_bytes");
  if (json.contains("plan")) result.plan = plan_record_from_json(json.at("plan"));
  if (json.contains("memory_bytes")) result.memory_bytes = read_count(json, "memory_bytes");
  using Texts = std::vector<std::string>;
  if (json.contains("class_names")) result.class_names = read_key<Texts>(json, "class_names");
  if (json.contains("task_names")) result.task_names = read_key<Texts>(json, "task_names");
  if (json.contains("skipped_images")) result.skipped_images = read_count(json, "skipped_images");
  if (json.contains("warnings")) result.warnings = read_key<Texts>(json, "warnings");
  if (json.contains("collapsed")) result.has_collapsed = read_key<bool>(json, "collapsed");
  if (json.contains("class_incremental")) {
    const nlohmann::json& among_all = json.at("class_incremental");
    result.labels = read_labels(json);
    ClassIncremental& read = result.class_incremental.emplace();
    read.accuracy = read_key<AccuracyMatrix>(among_all, "accuracy");
    read.accuracy_at_initialisation =
        read_key<std::vector<double>>(among_all, "accuracy_at_initialisation");
    read.metrics = read_metrics(among_all, measured_by(read));
  }
  validate(result);
  if (json.contains("version") && json.at("version") == kVersionWithoutMarks)
    result.has_collapsed = gave_one_answer(result);
  return result;
}

std::string text_hash(const std::string& text) { return fmt::format("{:08x}", fnv1a_32(text)); }

std::string spec_hash(const Spec& spec) { return text_hash(to_json(spec).dump()); }

std::string file_name(const Spec& spec, std::uint64_t seed) {
  const RunNames names = run_names(spec);
  std::string method = names.learner;
  if (names.policy != "none" && names.policy != names.learner) method += "-" + names.policy;
  return fmt::format("{}-{}-seed{}-{}.json", short_name(spec.benchmark), method, seed,
                     spec_hash(spec));
}

RunResult read_result(const fs::path& path, const Spec& spec, std::uint64_t seed) {
  const std::string text = read_file(path);
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    RunResult result = result_from_json(json);
    if (json.at("spec") != to_json(spec) || result.seed != seed)
      throw DataError("the result of another run");
    return result;
  } catch (const nlohmann::json::parse_error& error) {
    throw DataError(
        fmt::format("{}: not a result: it is not JSON at byte {}", path.string(), error.byte));
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", path.string(), error.what()));
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
