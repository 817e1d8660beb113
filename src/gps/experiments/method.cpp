#include "gps/experiments/method.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gps/core/option.h"
#include "gps/experiments/method_options.h"
#include "gps/memory/codecs/codec.h"

namespace gps {

namespace {

// Throws UsageError for what needs pixels.
void check_goes_with_features(const Method& method) {
  constexpr const char* kRaw = "raw";
  if (method.codec != kRaw) {
    throw OptionError("codec",
                      fmt::format("must be {} with `backbone`, because the memory stores features "
                                  "and not images; got {}",
                                  kRaw, method.codec));
  }
  const OptionValue* const future = method.policy.settings.find("future");
  if (future == nullptr) return;
  const std::string& name = std::get<std::string>(*future);
  if (name == "rotation" || name == "blurring") {
    throw OptionError("future",
                      fmt::format("must be permutation or offline with `backbone`: features cannot "
                                  "be turned or blurred as images can; got {}",
                                  name));
  }
}

}  // namespace

std::string run_label(const Method& method, bool with_learner) {
  if (method.policy.name == "none") return method.learner.name;
  const std::string policy = policy_label(method.policy);
  return with_learner ? method.learner.name + " " + policy : policy;
}

void validate(const Method& method, const Outlook& outlook) {
  for (const MethodOption& option : method_options()) {
    if (option.is_of_training) check(option.row, option.get(method, outlook));
  }
  const std::string& learner = method.learner.name;
  validate(method.learner);
  validate(method.network);
  check_context(learner, {method.network, outlook.is_split, outlook.stream});
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
  for (const MethodOption& option : method_options()) {
    if (option.row.key == "memory") check(option.row, option.get(method, outlook));
  }
  make_codec(method.codec);  // throws for a text that is no codec
  if (!method.network.backbone.empty()) check_goes_with_features(method);
  check_stream(method.policy, {.tasks = outlook.tasks});
}

nlohmann::json to_json(const Method& method, const Outlook& outlook) {
  nlohmann::json json;
  for (const MethodOption& option : method_options()) {
    if (option.concerns(method)) write_value(json, option.row, option.get(method, outlook));
  }
  json["learner"] = method.learner.name;
  json["policy"] = method.policy.name;
  return json;
}

Method method_from_json(const nlohmann::json& json, const Outlook& outlook) try {
  Method method;
  json.at("learner").get_to(method.learner.name);
  json.at("policy").get_to(method.policy.name);
  for (const MethodOption& option : method_options()) {
    const auto value = known_value(json, option.row);
    if (!value) continue;
    if (*value != option.row.usual) check(option.row, *value);
    option.set(method, *value);
  }
  check_nothing_is_lost(json, to_json(method, outlook));
  return method;
} catch (const nlohmann::json::exception& error) {
  throw DataError(fmt::format("not the method of a run: {}", error.what()));
} catch (const UsageError& error) {
  throw DataError(fmt::format("not the method of a run: {}", error.what()));
}

void check_nothing_is_lost(const nlohmann::json& json, const nlohmann::json& again) {
  for (const auto& [key, value] : json.items()) {
    if (!again.contains(key) || again.at(key) != value) {
      throw DataError(
          fmt::format("this version cannot read a spec with {} = {}", key, value.dump()));
    }
  }
}

SimulationNeeds simulation_needs(const Method& method, const Outlook& outlook) {
  return {.tasks = outlook.tasks,
          .pseudo_epochs = outlook.pseudo_epochs,
          .memory = method.memory_bytes > 0 ? 0 : method.memory,
          .training = method.training};
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
