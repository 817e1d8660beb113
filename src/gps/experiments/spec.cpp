#include "gps/experiments/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gps/experiments/spec_options.h"

namespace gps {
namespace {

// Returns the default number of epochs on a pseudo-task (Appendix F).
int pseudo_epochs(const std::string& kind) {
  const bool is_long = kind.starts_with("s-cifar") || kind == "tiny-imagenet";
  return is_long ? 5 : 1;
}

// Adds the keys that identify a stream of the user's own images. Adds nothing for other streams.
void add_own(const BenchmarkOptions& options, nlohmann::json& json) {
  if (!options.own) return;
  const OwnStream& own = *options.own;
  json["data_fingerprint"] = own.fingerprint;
  json["images"] = own.images;
  json["classes"] = own.classes;
  json["classes_of_tasks"] = own.classes_of_tasks;
  const OwnStreamOptions asked = own_options_of(own);
  for (const BoundOption<OwnStreamOptions>& each : own_stream_options()) {
    const OptionValue value = each.get(asked);
    if (value != each.row.usual) json[each.row.key] = to_json(value);
  }
}

void read_own(const nlohmann::json& json, BenchmarkOptions& options) {
  if (!json.contains("data_fingerprint")) return;
  OwnStream& own = options.own.emplace();
  json.at("data_fingerprint").get_to(own.fingerprint);
  json.at("images").get_to(own.images);
  json.at("classes").get_to(own.classes);
  json.at("classes_of_tasks").get_to(own.classes_of_tasks);
  OwnStreamOptions asked;
  for (const BoundOption<OwnStreamOptions>& each : own_stream_options()) {
    if (json.contains(each.row.key)) each.set(asked, value_from(each.row, json.at(each.row.key)));
  }
  set_own_options(own, asked);
}

constexpr const char* kStream = "The stream";

// Returns the options that have an effect in this spec, except those of the group `without`.
nlohmann::json options_of(const Spec& spec, const std::string& without = {}) {
  nlohmann::json json;
  for (const SpecOption& option : spec_options()) {
    if (!without.empty() && option.group == without) continue;
    if (!option.is_always_written && !option.concerns(spec)) continue;
    const OptionValue value = option.get(spec);
    if (option.row.is_silent && value == option.row.usual) continue;
    json[option.row.key] = to_json(value);
  }
  json["learner"] = spec.learner.name;
  json["policy"] = spec.policy.name;
  return json;
}

// Reads learner, policy and all options in `json`. REQUIRES: the stream's name in `spec` is already
// set.
void read_options(const nlohmann::json& json, Spec& spec) {
  json.at("learner").get_to(spec.learner.name);
  json.at("policy").get_to(spec.policy.name);
  for (const SpecOption& option : spec_options()) {
    const Option& row = option.row;
    if (!json.contains(row.key)) continue;
    const OptionValue value = value_from(row, json.at(row.key));
    // A name that this version does not know is not set; check_same() reports it.
    const bool is_known =
        row.kind != OptionKind::name || std::find(row.names.begin(), row.names.end(),
                                                  std::get<std::string>(value)) != row.names.end();
    if (is_known) option.set(spec, value);
  }
}

void check_same(const nlohmann::json& json, const nlohmann::json& again) {
  for (const auto& [key, value] : json.items()) {
    if (!again.contains(key) || again.at(key) != value) {
      throw DataError(
          fmt::format("this version cannot read a spec with {} = {}", key, value.dump()));
    }
  }
}

// Returns a stream for writing and reading a method that has none.
BenchmarkOptions stream_of(const Outlook& outlook) {
  BenchmarkOptions stream;
  stream.name = outlook.kind;
  stream.tasks = outlook.tasks;
  return stream;
}

void check_floor(const Spec& spec) {
  const OptionValue* quota = spec.policy.settings.find("ring_quota");
  if (spec.policy.name != "ring-full" || quota == nullptr || *quota != OptionValue("floor")) return;
  const int keys = classes_of_all_tasks(spec.benchmark);
  if (spec.memory >= keys) return;
  const std::string sum = spec.benchmark.own ? fmt::format("{} for all tasks", keys)
                                             : fmt::format("{} x {} = {}", spec.benchmark.tasks,
                                                           classes_a_task(spec.benchmark), keys);
  throw OptionError("ring-quota",
                    fmt::format("floor needs a memory of at least tasks x classes ({}), got {}",
                                sum, spec.memory));
}

}  // namespace

Outlook outlook_of(const BenchmarkOptions& stream) {
  return {treated_as(stream), stream.tasks, is_split(stream)};
}

std::string default_model(const std::string& benchmark) {
  const bool is_colour = benchmark.find("cifar") != std::string::npos ||
                         benchmark.find("imagenet") != std::string::npos;
  return is_colour ? "resnet18" : "mlp";
}

std::string run_label(const Method& method, bool with_learner) {
  if (method.policy.name == "none") return method.learner.name;
  const std::string policy = policy_label(method.policy);
  return with_learner ? method.learner.name + " " + policy : policy;
}

void validate(const Method& method, const Outlook& outlook) {
  Spec spec;
  static_cast<Method&>(spec) = method;
  for (const SpecOption& option : spec_options()) {
    if (option.group == "Training") check(option.row, option.get(spec));
  }
  const std::string& learner = method.learner.name;
  validate(method.learner);
  validate(method.network);
  if (learner == "hal" && method.network.model == "mlp" && method.network.hidden.empty())
    throw OptionError("hidden", "must not be none: learner 'hal' needs features");
  if (learner == "icarl" && !outlook.is_split) {
    throw UsageError(
        fmt::format("learner 'icarl' needs tasks with new classes, but all tasks of {} have the "
                    "same classes; try s-mnist",
                    outlook.kind));
  }
  const std::string& policy = method.policy.name;
  if (!replays(learner)) {
    if (policy != "none")
      throw OptionError("policy",
                        fmt::format("has no effect, because learner '{}' keeps no memory; got '{}'",
                                    learner, policy));
    return;
  }
  if (policy == "none")
    throw OptionError("policy",
                      fmt::format("must not be none: learner '{}' needs a memory", learner));
  validate(method.policy);
  check(spec_option("memory").row, method.memory);
  if (policy != "mixed") return;
  const OptionValue* ring = method.policy.settings.find("ring");
  const std::size_t ratios = ring == nullptr ? 1 : std::get<std::vector<double>>(*ring).size();
  if (ratios == 0) throw OptionError("ring", "needs at least one ratio");
  if (ratios > 1 && ratios != static_cast<std::size_t>(outlook.tasks)) {
    throw OptionError("ring", fmt::format("must have one ratio or one for each of the {} tasks, "
                                          "got {}",
                                          outlook.tasks, ratios));
  }
}

void validate(const Spec& spec) {
  validate(spec.benchmark);
  validate(spec, outlook_of(spec.benchmark));
  check_floor(spec);
}

nlohmann::json to_json(const Spec& spec) {
  nlohmann::json json = options_of(spec);
  json["benchmark"] = spec.benchmark.name;
  add_own(spec.benchmark, json);
  return json;
}

nlohmann::json to_json(const Method& method, const Outlook& outlook) {
  Spec spec;
  static_cast<Method&>(spec) = method;
  spec.benchmark = stream_of(outlook);
  return options_of(spec, kStream);
}

Spec spec_from_json(const nlohmann::json& json) try {
  Spec spec;
  json.at("benchmark").get_to(spec.benchmark.name);
  read_own(json, spec.benchmark);
  read_options(json, spec);
  check_same(json, to_json(spec));
  return spec;
} catch (const nlohmann::json::exception& error) {
  throw DataError(fmt::format("not the spec of a run: {}", error.what()));
} catch (const UsageError& error) {
  throw DataError(fmt::format("not the spec of a run: {}", error.what()));
}

Method method_from_json(const nlohmann::json& json, const Outlook& outlook) try {
  Spec spec;
  spec.benchmark = stream_of(outlook);
  nlohmann::json own = json;
  own.erase("benchmark");
  for (const SpecOption& option : spec_options()) {
    if (option.group == kStream) own.erase(option.row.key);
  }
  read_options(own, spec);
  check_same(own, to_json(spec, outlook));
  return spec;
} catch (const nlohmann::json::exception& error) {
  throw DataError(fmt::format("not the method of a run: {}", error.what()));
} catch (const UsageError& error) {
  throw DataError(fmt::format("not the method of a run: {}", error.what()));
}

SimulationNeeds simulation_needs(const Method& method, const Outlook& outlook) {
  return {.tasks = outlook.tasks,
          .pseudo_epochs = pseudo_epochs(outlook.kind),
          .memory = method.memory,
          .training = method.training};
}

SimulationOptions simulation_options(const Spec& spec) {
  return simulation_options(spec.policy.settings,
                            simulation_needs(spec, outlook_of(spec.benchmark)));
}

std::unique_ptr<MemoryPolicy> make_policy(const Method& method, const Outlook& outlook,
                                          const Benchmark* benchmark, Executor& executor,
                                          SimulationHooks hooks) {
  SimulationNeeds needs = simulation_needs(method, outlook);
  needs.benchmark = benchmark;
  needs.executor = &executor;
  needs.hooks = std::move(hooks);
  return make_policy(method.policy, {method.training.batch, &needs});
}

}  // namespace gps
