#include "gps/experiments/spec/repeat_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "gps/core/text/shell.h"
#include "gps/experiments/planning/recipe.h"
#include "gps/experiments/spec/presets.h"
#include "gps/experiments/spec/spec_request.h"

namespace gps {
namespace {

// Returns the options that describe the user's own images, as on the command line.
std::map<std::string, std::string> said_of_own_images(const OwnStream& own) {
  std::map<std::string, std::string> said;
  const OwnStreamOptions asked = own_options_of(own);
  for (const BoundOption<OwnStreamOptions>& each : own_stream_options()) {
    const OptionValue value = each.get(asked);
    if (value != each.row.usual) said[each.row.flag] = text_of(value);
  }
  return said;
}

// Returns the spec of `gpscl run` with this spec's stream, learner and policy and no other option.
Spec spec_of_names(const Spec& spec) {
  BenchmarkOptions stream;
  stream.name = spec.benchmark.name;
  stream.own = spec.benchmark.own;
  stream.tasks = stream.own ? static_cast<int>(stream.own->classes_of_tasks.size())
                            : default_tasks(stream.name);
  Spec made = preset_spec(kUsualPreset, stream, spec.learner.name, spec.memory);
  if (!spec.network.backbone.empty()) set_for_backbone(made, kUsualPreset);
  made.memory = default_memory(treated_as(stream));
  made.policy.name = spec.policy.name;
  return made;
}

// Returns the keys of options whose defaults depend on the data, which may be gone
// (fit_to_data.h), or on the CPU.
// They are always said.
std::set<std::string> unsteady_keys(const Spec& spec) {
  std::set<std::string> keys;
  if (spec.benchmark.own) {
    keys = {"model", "learning_rate", "epochs", "alpha", "memory"};
  } else if (spec.network.backbone.empty() &&
             spec.network.model != default_model(spec.benchmark.name)) {
    keys = {"learning_rate", "alpha"};
  }
  if (spec.network.model == "resnet18") keys.insert("backend");
  return keys;
}

// Returns the flags of what the spec plans. They must not be said: what is given is not planned.
std::set<std::string> planned_flags(const Spec& spec) {
  std::set<std::string> flags;
  for (const RecipeKnob& knob : recipe_knobs()) {
    if (is_planned(spec, knob.name)) flags.insert(knob.flags.begin(), knob.flags.end());
  }
  return flags;
}

// Returns the options that have a flag. Those that others depend on come first.
std::vector<const SpecOption*> in_order_of_command() {
  std::vector<const SpecOption*> order;
  for (const bool is_first : {true, false}) {
    for (const SpecOption& option : spec_options()) {
      const std::string& key = option.row.key;
      const bool leads = key == "tasks" || key == "memory" || key == "base" || key == "model";
      if (leads == is_first && !option.row.flag.empty()) order.push_back(&option);
    }
  }
  return order;
}

}  // namespace

std::vector<std::string> arguments_for(const Spec& spec) {
  std::map<std::string, std::string> names;  // text by flag; "true" for a flag without a value
  if (spec.learner.name != kUsualLearner) names["learner"] = spec.learner.name;
  if (spec.policy.name != "none") names["policy"] = spec.policy.name;
  const std::set<std::string> planned = planned_flags(spec);
  std::erase_if(names, [&](const auto& name) { return planned.contains(name.first); });
  if (spec.benchmark.own) names.merge(said_of_own_images(*spec.benchmark.own));
  std::vector<std::string> arguments = {spec.benchmark.name};
  for (const auto& [flag, text] : names) {
    arguments.push_back("--" + flag);
    if (text != "true") arguments.push_back(text);
  }
  // Set one option at a time and then compare all again, because the default of one may depend on
  // another.
  const std::vector<const SpecOption*> order = in_order_of_command();
  const std::set<std::string> unsteady = unsteady_keys(spec);
  Spec made = spec_of_names(spec);
  std::set<std::string> said = planned;
  while (true) {
    const auto differs = std::find_if(order.begin(), order.end(), [&](const SpecOption* option) {
      return option->concerns(spec) && !said.contains(option->row.flag) &&
             (unsteady.contains(option->row.key) || option->get(made) != option->get(spec));
    });
    if (differs == order.end()) return arguments;
    const Option& row = (*differs)->row;
    OptionValue value = (*differs)->get(spec);
    if (row.key == "backend")
      value = std::string(is_fused_resnet18(spec.network) ? "own" : "libtorch");
    (*differs)->set(made, value);
    said.insert(row.flag);
    if (!said.contains("memory-batch")) made.learner.memory_batch = made.training.batch;
    arguments.push_back("--" + row.flag);
    if (row.kind != OptionKind::flag) arguments.push_back(text_of(value));
  }
}

std::string command_for(const std::vector<std::string>& arguments, std::uint64_t seed) {
  std::string command = "gpscl run";
  for (const std::string& word : arguments) command += " " + shell_quoted(word);
  return fmt::format("{} --seed {}", command, seed);
}

}  // namespace gps
