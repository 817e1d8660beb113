#include "gps/experiments/spec/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gps/benchmarks/permuted.h"
#include "gps/core/option_table.h"
#include "gps/core/text/text.h"
#include "gps/experiments/planning/recipe.h"
#include "gps/experiments/spec/spec_options.h"

namespace gps {
namespace {

// Passes over a pseudo-task unless told otherwise (Appendix F).
int pseudo_epochs(const std::string& benchmark) {
  const bool is_long = benchmark.starts_with("s-cifar") || benchmark == "tiny-imagenet";
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

// What a policy may want to know of the stream. run() checks it again when it knows how many
// examples fit into a memory that is counted in bytes.
StreamOutline outline_of(const Spec& spec) {
  return {.tasks = spec.benchmark.tasks,
          .memory = spec.memory_bytes > 0 ? 0 : spec.memory,
          .classes_a_task = spec.benchmark.own ? 0 : classes_a_task(spec.benchmark),
          .classes_of_all_tasks = classes_of_all_tasks(spec.benchmark)};
}

}  // namespace

bool is_planned(const Spec& spec, const std::string& knob) {
  if (spec.planning.knobs == "all") return true;
  const std::vector<std::string> knobs = split(spec.planning.knobs, ',');
  return std::find(knobs.begin(), knobs.end(), knob) != knobs.end();
}

std::string run_label(const Spec& spec, bool with_learner) {
  if (spec.planning.knobs.empty()) return run_label(static_cast<const Method&>(spec), with_learner);
  std::vector<std::string> planned;
  std::vector<std::string> others;
  for (const RecipeKnob& knob : recipe_knobs())
    (is_planned(spec, knob.name) ? planned : others).emplace_back(knob.name);
  if (others.empty()) return "plan";
  std::string label = others.size() < planned.size() ? "plan except " + join(others, "+")
                                                     : "plan:" + join(planned, "+");
  if (with_learner && !is_planned(spec, "learner")) label += " " + spec.learner.name;
  if (!is_planned(spec, "policy")) label += " " + policy_label(spec.policy);
  return label;
}

RunNames run_names(const Spec& spec) {
  const bool has_plan = !spec.planning.knobs.empty();
  return {is_planned(spec, "learner") ? "plan" : spec.learner.name,
          is_planned(spec, "policy") ? "plan" : spec.policy.name,
          has_plan ? run_label(spec, /*with_learner=*/false) : policy_label(spec.policy)};
}

Outlook outlook_of(const BenchmarkOptions& stream) {
  return {.stream = stream.name,
          .tasks = stream.tasks,
          .is_split = is_split(stream),
          .pseudo_epochs = pseudo_epochs(treated_as(stream))};
}

std::string default_model(const std::string& benchmark) {
  const bool is_colour = benchmark.find("cifar") != std::string::npos ||
                         benchmark.find("imagenet") != std::string::npos;
  return is_colour ? "resnet18" : "mlp";
}

void validate(const Spec& spec) {
  validate(spec.benchmark);
  validate(spec, outlook_of(spec.benchmark));
  validate(spec.evaluation);
  if (!spec.network.backbone.empty() && has_permuted_pixels(spec.benchmark)) {
    throw OptionError(
        "backbone", fmt::format("needs images as they are, but the tasks of {} permute the pixels",
                                spec.benchmark.name));
  }
  check_can_be_planned(spec, spec.planning);
  if (spec.policy.name != "none") check_stream(spec.policy, outline_of(spec));
}

nlohmann::json to_json(const Spec& spec) {
  nlohmann::json json;
  for (const SpecOption& option : spec_options()) {
    if (option.is_always_written || option.concerns(spec))
      write_value(json, option.row, option.get(spec));
  }
  json["learner"] = spec.learner.name;
  json["policy"] = spec.policy.name;
  json["benchmark"] = spec.benchmark.name;
  add_own(spec.benchmark, json);
  return json;
}

Spec spec_from_json(const nlohmann::json& json) try {
  Spec spec;
  json.at("benchmark").get_to(spec.benchmark.name);
  read_own(json, spec.benchmark);
  json.at("learner").get_to(spec.learner.name);
  json.at("policy").get_to(spec.policy.name);
  for (const SpecOption& option : spec_options()) {
    if (const auto value = known_value(json, option.row)) option.set(spec, *value);
  }
  check_nothing_is_lost(json, to_json(spec));
  return spec;
} catch (const nlohmann::json::exception& error) {
  throw DataError(fmt::format("not the spec of a run: {}", error.what()));
} catch (const UsageError& error) {
  throw DataError(fmt::format("not the spec of a run: {}", error.what()));
}

SimulationOptions simulation_options(const Spec& spec) {
  return simulation_options(spec.policy.settings,
                            simulation_needs(spec, outlook_of(spec.benchmark)));
}

}  // namespace gps
