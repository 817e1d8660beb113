#include "gps/experiments/spec/spec_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "gps/core/simd_target.h"
#include "gps/core/text/name_list.h"
#include "gps/experiments/planning/recipe.h"
#include "gps/experiments/spec/fit_to_data.h"
#include "gps/experiments/spec/presets.h"

namespace gps {
namespace {

// Returns what the runs have instead of a use for the option, for an error message.
std::string chosen_in_all(const SpecOption& option, const std::vector<Spec>& specs) {
  std::vector<std::string> chosen;
  for (const Spec& spec : specs) {
    const std::string instead = option.instead(spec);
    if (!has_name(chosen, instead)) chosen.push_back(instead);
  }
  return join(chosen, option.family.empty() ? ", and for " : ", ");
}

// A plan leaves alone what the user gives: `plan` alone means all other knobs.
void leave_what_is_given(PlanningOptions& planning,
                         const std::map<std::string, std::string>& given) {
  if (planning.knobs.empty()) return;
  const bool is_all = planning.knobs == "all";
  std::vector<std::string> knobs = knobs_from(planning.knobs);
  for (const RecipeKnob& knob : recipe_knobs()) {
    for (const std::string& flag : knob.flags) {
      if (!has_name(knobs, knob.name) || !given.contains(flag)) continue;
      if (!is_all) {
        throw OptionError("plan", fmt::format("must not name {} if `{}` is given, because a value "
                                              "that is given is not planned",
                                              knob.name, flag));
      }
      std::erase(knobs, knob.name);
    }
  }
  if (knobs.empty()) throw OptionError("plan", "has nothing to plan: every knob is given");
  planning.knobs = knobs.size() == recipe_knobs().size() ? "all" : join(knobs, ",");
}

// `codec` auto is the same as `plan` codec, beside what else is planned.
constexpr const char* kAuto = "auto";

bool is_auto_codec(const std::string& flag, const std::string& text) {
  return flag == "codec" && text == kAuto;
}

void plan_codec(Spec& spec) {
  if (spec.memory_bytes == 0)
    throw OptionError("codec", "auto needs `memory` in bytes, such as 784kB");
  std::string& knobs = spec.planning.knobs;
  if (knobs == "all") return;
  knobs = join(knobs_from(knobs.empty() ? "codec" : knobs + ",codec"), ",");
}

void refuse_or_leave_out(const Irrelevant& error, LeftOut* left_out) {
  if (left_out == nullptr) throw error;
  left_out->irrelevant.push_back(error);
}

}  // namespace

Reason::Reason(const UsageError& error) : message(error.what()), problem(error.what()) {
  if (const auto* of_option = dynamic_cast<const OptionError*>(&error)) {
    flag = of_option->flag();
    problem = of_option->problem();
  }
}

void check_is_benchmark(const std::string& name) {
  try {
    find(benchmark_catalog(), "benchmark", name);
  } catch (const UnknownName& error) {
    throw UnknownName(
        error.family(), error.name(),
        fmt::format("{}; or the path of your own images: a folder, a manifest (.csv) or IDX "
                    "files",
                    error.what()));
  }
}

// Inspects a path once. If `benchmark` is not a path, it must be a known name.
BenchmarkOptions SpecRequest::stream(LeftOut* left_out) const {
  BenchmarkOptions stream;
  if (!is_own_stream(benchmark)) {
    check_is_benchmark(benchmark);
    stream.name = benchmark;
    for (const Option& option : own_stream_options().rows()) {
      if (!was_given(option.flag)) continue;
      refuse_or_leave_out(
          Irrelevant(option.flag, fmt::format("works only with your own images (a PATH), but {} "
                                              "is a benchmark",
                                              benchmark)),
          left_out);
    }
    stream.tasks = default_tasks(benchmark);
    return stream;
  }
  stream.name = path_name(benchmark);
  OwnStreamOptions asked;
  for (const BoundOption<OwnStreamOptions>& each : own_stream_options()) {
    const auto at = given.find(each.row.flag);
    if (at == given.end()) continue;
    const OptionValue value = parse(each.row, at->second);
    check(each.row, value);
    each.set(asked, value);
  }
  if (was_given("tasks")) asked.tasks = parse_whole("tasks", given.at("tasks"));
  stream.own = look ? look(stream.name, asked) : look_at_stream(stream.name, asked);
  stream.tasks = static_cast<int>(stream.own->classes_of_tasks.size());
  return stream;
}

void SpecRequest::apply(const std::string& preset, LeftOut* left_out) {
  preset_ = preset;
  const BenchmarkOptions on = stream(left_out);
  int memory = on.own ? kUsualMemory : default_memory(treated_as(on));
  if (was_given("memory")) {
    const OptionValue said = read_value(spec_option("memory").row, given.at("memory"));
    if (const int* examples = std::get_if<int>(&said)) memory = *examples;
  }
  bases.clear();
  chosen.clear();
  for (const std::string& learner : learners) {
    // The preset comes first. It depends on the benchmark, the learner and the memory.
    Spec base = preset_spec(preset, on, learner, memory);
    std::optional<UsualSettings> chosen_here;
    const bool has_backbone = was_given("backbone");
    if (has_backbone) set_for_backbone(base, preset);
    if (preset == kUsualPreset && (on.own || !has_backbone)) {
      const std::string model = has_backbone ? base.network.model : "";
      chosen_here = fit_to_data(base, was_given("model") ? given.at("model") : model);
    }
    if (chosen_here && has_backbone) chosen_here->why_model = "it learns from features";
    std::map<std::string, std::string> values = given;
    std::erase_if(values, [](const auto& each) { return is_auto_codec(each.first, each.second); });
    if (was_given("epochs")) base.training.steps = 0;
    for (const auto& [flag, text] : values) {
      if (find_spec_option(flag, text) != nullptr) set_option(base, flag, text);
    }
    NetworkOptions& network = base.network;
    if (network.model == "resnet18" && network.backend.empty())
      network.backend = fastest_backend(network, simd_target());
    if (!was_given("memory-batch"))
      base.learner.memory_batch = base.training.batch;  // as in the paper
    if (chosen_here && bases.empty()) chosen = chosen_text(base, *chosen_here, given);
    leave_what_is_given(base.planning, values);
    if (values.size() < given.size()) plan_codec(base);
    bases.push_back(std::move(base));
  }
}

// If there are several learners, one without a memory gets no policy.
std::vector<std::string> SpecRequest::policies_for(const std::string& learner) const {
  const bool takes_none = !replays(learner) && learners.size() > 1;
  if (policies.empty() || takes_none || !policies_are_of_use())
    return {preset_policy(preset_, learner)};
  return policies;
}

std::vector<Spec> SpecRequest::specs(LeftOut* left_out) const {
  check_policies_are_of_use(left_out);
  check_variants();
  std::vector<Spec> all;
  std::vector<std::string> labels;
  for (const Spec& shared : bases) {
    for (const std::string& policy : policies_for(shared.learner.name)) {
      Spec spec = shared;
      if (policy == "none" && !replays(shared.learner.name)) {
        spec.policy.name = policy;
      } else {
        set_policy(spec.policy, policy);
      }
      if (left_out != nullptr) leave_out_defaults(spec, *left_out);
      try {
        validate(spec);
      } catch (const UsageError& error) {
        if (left_out == nullptr) throw;
        left_out->impossible.push_back({shared.learner.name, policy, Reason(error)});
        continue;
      }
      spec.network = identified(spec.network);
      const std::string label = run_label(spec, /*with_learner=*/learners.size() > 1);
      if (has_name(labels, label))
        throw UsageError(fmt::format(
            "{} '{}' twice", learners.size() > 1 ? "`learner` and `policy` name" : "`policy` names",
            label));
      labels.push_back(label);
      all.push_back(std::move(spec));
    }
  }
  if (!all.empty()) check_relevance(all, left_out);
  return all;
}

bool SpecRequest::policies_are_of_use() const {
  const bool is_none = policies.size() == 1 && policies.front() == "none";
  return policies.empty() || is_none || std::any_of(learners.begin(), learners.end(), replays);
}

void SpecRequest::check_policies_are_of_use(LeftOut* left_out) const {
  if (policies_are_of_use()) return;
  refuse_or_leave_out(
      Irrelevant("policy",
                 fmt::format("has no effect, because learner '{}' keeps no memory; got '{}'",
                             join(learners), join(policies))),
      left_out);
}

// An option must not repeat what the name of a policy already sets.
void SpecRequest::check_variants() const {
  if (!policies_are_of_use()) return;
  for (const std::string& policy : policies) {
    if (policy == "none") continue;
    for (const auto& [key, value] : variant_of(policy)) {
      for (const SpecOption& option : spec_options()) {
        if (option.row.key != key || !was_given(option.row.flag)) continue;
        throw UsageError(
            fmt::format("`policy` {} and `{}` set the same option; leave one of them out", policy,
                        option.row.flag));
      }
    }
  }
}

// validate() would refuse a network's option that another network has, for example.
void SpecRequest::leave_out_defaults(Spec& spec, const LeftOut& left_out) const {
  for (const std::string& flag : left_out.defaults) {
    const auto at = given.find(flag);
    if (at == given.end()) continue;
    const SpecOption* option = find_spec_option(flag, at->second);
    if (option != nullptr && !option->concerns(spec)) option->set(spec, option->row.usual);
  }
}

// An option without effect that is not refused gets its default, as if it had not been given.
void SpecRequest::check_relevance(std::vector<Spec>& specs, LeftOut* left_out) const {
  for (const auto& [flag, text] : given) {
    const SpecOption* option = find_spec_option(flag, text);
    if (option == nullptr || std::any_of(specs.begin(), specs.end(), option->concerns)) continue;
    refuse_or_leave_out(Irrelevant(flag, why_useless(*option, chosen_in_all(*option, specs))),
                        left_out);
    for (Spec& spec : specs) option->set(spec, option->row.usual);
  }
}

}  // namespace gps
