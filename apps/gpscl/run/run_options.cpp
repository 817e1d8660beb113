#include "run/run_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "gps/experiments/planning/recipe.h"
#include "gps/experiments/presets.h"
#include "gps/nn/torch/torch_backend.h"
#include "run/run_setup.h"

namespace gps::cli {
namespace {

// `plan` alone means `plan` all.
constexpr const char* kNeedsNoValue = "plan";

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

void check_is_known(const std::string& benchmark) {
  try {
    find(benchmark_catalog(), "benchmark", benchmark);
  } catch (const UnknownName& error) {
    throw UnknownName(
        error.family(), error.name(),
        fmt::format("{}; or the path of your own images: a folder, a manifest (.csv) or IDX "
                    "files",
                    error.what()));
  }
}

// Returns the choices of the runs that leave the option without effect, for an error message.
std::string chosen_in_all(const SpecOption& option, const std::vector<Spec>& specs,
                          const std::vector<std::string>& learners) {
  if (!option.family.empty()) {
    std::vector<std::string> chosen;
    for (const Spec& spec : specs) {
      const std::string name = chosen_instead(option, spec);
      if (!contains(chosen, name)) chosen.push_back(name);
    }
    return join(chosen);
  }
  if (option.group == "The stream")
    return fmt::format("{}, whose images are grey", specs.front().benchmark.name);
  return fmt::format("learner '{}', which keeps no memory", join(learners));
}

// A plan leaves alone what the user gives: `plan` alone means all other knobs.
void leave_what_is_given(PlanningOptions& planning,
                         const std::map<std::string, std::string>& given) {
  if (planning.knobs.empty()) return;
  const bool is_all = planning.knobs == "all";
  std::vector<std::string> knobs = knobs_from(planning.knobs);
  for (const RecipeKnob& knob : recipe_knobs()) {
    for (const std::string& flag : knob.flags) {
      if (!contains(knobs, knob.name) || !given.contains(flag)) continue;
      if (!is_all) {
        throw OptionError("plan", fmt::format("{} and `{}` exclude each other: a value that is "
                                              "given is not planned",
                                              knob.name, flag));
      }
      std::erase(knobs, knob.name);
    }
  }
  if (knobs.empty()) throw OptionError("plan", "has nothing to plan: every knob is given");
  planning.knobs = knobs.size() == recipe_knobs().size() ? "all" : join(knobs, ",");
}

void refuse(const Irrelevant& error, LeftOut* left_out) {
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

std::vector<Option> all_run_options() {
  std::vector<Option> all = run_arguments().rows();
  for (const SpecOption& option : spec_options()) {
    if (!option.row.flag.empty()) all.push_back(option.row);
  }
  return all + own_stream_options().rows();
}

void RunOptions::add_to(CLI::App& command) {
  command.add_option("benchmark", benchmark);
  command.add_flag("-h,--help", wants_help);
  command.add_flag("--help-all", wants_all_help);
  for (const Option& option : all_run_options()) {
    const std::string name = "--" + option.flag;
    if (command.get_option_no_throw(name) != nullptr) continue;  // a name or a file
    if (option.kind == OptionKind::flag) {
      command.add_flag(name, [this, flag = option.flag](std::int64_t) { given[flag] = "true"; });
    } else {
      CLI::Option* added = command.add_option_function<std::string>(
          name, [this, flag = option.flag](const std::string& text) {
            const bool is_missing = flag == kNeedsNoValue && (text.empty() || text == "true");
            given[flag] = is_missing ? "all" : text;
          });
      if (option.flag == kNeedsNoValue) added->expected(0, 1);
    }
  }
}

// Inspects a path once. If `benchmark` is not a path, it must be a known name.
BenchmarkOptions RunOptions::stream(LeftOut* left_out) const {
  BenchmarkOptions stream;
  if (!is_own_stream(benchmark)) {
    check_is_known(benchmark);
    stream.name = benchmark;
    for (const Option& option : own_stream_options().rows()) {
      if (!was_given(option.flag)) continue;
      refuse(Irrelevant(option.flag, fmt::format("works only with your own images (a PATH), but {} "
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
  stream.own = look ? look(stream.name, asked) : look_at_images(stream.name, asked, jobs);
  stream.tasks = static_cast<int>(stream.own->classes_of_tasks.size());
  return stream;
}

void RunOptions::resolve(LeftOut* left_out) {
  if (!is_own_stream(benchmark)) check_is_known(benchmark);
  read_arguments();
  const BenchmarkOptions on = stream(left_out);
  int memory = default_memory(treated_as(on));
  if (was_given("memory")) {
    const OptionValue said = read_value(spec_option("memory").row, given.at("memory"));
    if (const int* examples = std::get_if<int>(&said)) memory = *examples;
  }
  bases.clear();
  for (const std::string& learner : learners) {
    // The preset comes first. It depends on the benchmark, the learner and the memory.
    Spec base = preset_spec(preset, on, learner, memory);
    for (const auto& [flag, text] : given) {
      if (find_spec_option(flag, text) != nullptr) set_option(base, flag, text);
    }
    if (!was_given("memory-batch"))
      base.learner.memory_batch = base.training.batch;  // as in the paper
    leave_what_is_given(base.planning, given);
    bases.push_back(std::move(base));
  }
}

void RunOptions::check_arguments() const {
  if (was_given("seed") && was_given("seeds"))
    throw UsageError("`seed` (one seed) and `seeds` (a number of seeds) cannot be used together");
  if (resume && restart) throw UsageError("`resume` and `restart` cannot be used together");
  if (resume && !checkpoints)
    throw UsageError("`resume` and `checkpoint-every` off cannot be used together");
}

// If there are several learners, one without a memory gets no policy.
std::vector<std::string> RunOptions::policies_for(const std::string& learner) const {
  const bool takes_none = !replays(learner) && learners.size() > 1;
  if (policies.empty() || takes_none || !policies_are_of_use())
    return {preset_policy(preset, learner)};
  return policies;
}

std::vector<Spec> RunOptions::specs(LeftOut* left_out) const {
  check_arguments();
  check_policies_are_of_use(left_out);
  check_variants();
  if (exported.model) torch_backend();  // throws if LibTorch is missing
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
      if (contains(labels, label))
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

bool RunOptions::policies_are_of_use() const {
  const bool is_none = policies.size() == 1 && policies.front() == "none";
  return policies.empty() || is_none || std::any_of(learners.begin(), learners.end(), replays);
}

void RunOptions::check_policies_are_of_use(LeftOut* left_out) const {
  if (policies_are_of_use()) return;
  refuse(Irrelevant("policy",
                    fmt::format("has no effect, because learner '{}' keeps no memory; got '{}'",
                                join(learners), join(policies))),
         left_out);
}

// An option must not repeat what the name of a policy already sets.
void RunOptions::check_variants() const {
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
void RunOptions::leave_out_defaults(Spec& spec, const LeftOut& left_out) const {
  for (const std::string& flag : left_out.defaults) {
    const auto at = given.find(flag);
    if (at == given.end()) continue;
    const SpecOption* option = find_spec_option(flag, at->second);
    if (option != nullptr && !option->concerns(spec)) option->set(spec, option->row.usual);
  }
}

// An option without effect that is not refused gets its default, as if it had not been given.
void RunOptions::check_relevance(std::vector<Spec>& specs, LeftOut* left_out) const {
  for (const auto& [flag, text] : given) {
    const SpecOption* option = find_spec_option(flag, text);
    if (option == nullptr || std::any_of(specs.begin(), specs.end(), option->concerns)) continue;
    refuse(Irrelevant(flag, why_useless(*option, chosen_in_all(*option, specs, learners))),
           left_out);
    for (Spec& spec : specs) option->set(spec, option->row.usual);
  }
}

std::vector<std::uint64_t> RunOptions::all_seeds() const {
  if (seed >= 0) return {static_cast<std::uint64_t>(seed)};
  std::vector<std::uint64_t> all;
  for (int s = 0; s < seeds; ++s) all.push_back(static_cast<std::uint64_t>(s));
  return all;
}

}  // namespace gps::cli
