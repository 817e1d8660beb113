#include "terminal/option_text.h"

#include <algorithm>

#include "gps/core/text/name_list.h"
#include "gps/experiments/spec/presets.h"
#include "gps/experiments/spec/spec_options.h"

namespace gps::cli {
namespace {

// A value, as text, for each name: of a learner, a policy or a benchmark.
using ValuesByName = std::vector<std::pair<std::string, std::string>>;

// Groups the names by their value, both in the order of `values`.
std::vector<std::pair<std::vector<std::string>, std::string>> grouped(const ValuesByName& values) {
  std::vector<std::pair<std::vector<std::string>, std::string>> groups;
  for (const auto& each : values) {
    const auto known = std::find_if(groups.begin(), groups.end(),
                                    [&](const auto& group) { return group.second == each.second; });
    if (known == groups.end()) {
      groups.push_back({{each.first}, each.second});
    } else {
      known->first.push_back(each.first);
    }
  }
  return groups;
}

// Returns for example "0.3, der++ 0.1", for a text that is already a part of a list.
std::string short_by_name(const ValuesByName& values) {
  std::string text;
  for (const auto& [names, value] : grouped(values))
    text += text.empty() ? value : fmt::format(", {} {}", join(names, " and "), value);
  return text;
}

// Returns the specs of the paper's preset for all benchmarks, and there for all learners.
const std::vector<std::vector<Spec>>& paper_specs() {
  static const std::vector<std::vector<Spec>> all = [] {
    std::vector<std::vector<Spec>> specs;
    for (const Entry& benchmark : benchmark_catalog()) {
      specs.emplace_back();
      for (const LearnerEntry& learner : learner_catalog()) {
        specs.back().push_back(
            preset_spec("paper", benchmark.name, learner.name, default_memory(benchmark.name)));
      }
    }
    return specs;
  }();
  return all;
}

// Returns the default of a policy's option, for the first policy that uses it and for each learner
// whose preset changes settings of policies, and then for the other policies.
ValuesByName defaults_by_policy(const SpecOption& option, const std::vector<Spec>& specs) {
  ValuesByName values;
  const auto add = [&](const std::string& name, Spec spec, const std::string& policy) {
    spec.policy.name = policy;
    if (has_name(option.users_if, policy))
      spec.policy.settings[option.row.needs_key] = option.row.needs_value;
    values.emplace_back(name, text_of(option.get(spec)));
  };
  const Spec& first = specs.front();
  for (const std::string& policy : option.users) add(policy, first, policy);
  for (const Spec& spec : specs) {
    if (replays(spec.learner.name) && spec.policy.settings != first.policy.settings)
      add(spec.learner.name, spec, option.users.front());
  }
  return values;
}

// Returns the default for each learner or policy that uses the option. `specs` are those of one
// benchmark, by learner.
ValuesByName defaults_of(const SpecOption& option, const std::vector<Spec>& specs) {
  if (option.family == "policy") return defaults_by_policy(option, specs);
  ValuesByName values;
  for (const Spec& spec : specs) {
    if (option.family == "learner" && !has_name(option.users, spec.learner.name)) continue;
    values.emplace_back(spec.learner.name, text_of(option.get(spec)));
  }
  return values;
}

}  // namespace

std::string by_name(const std::vector<std::pair<std::string, std::string>>& values) {
  std::string text;
  for (const auto& [names, value] : grouped(values))
    text += text.empty() ? value : fmt::format("; {}: {}", join(names), value);
  return text;
}

std::string default_text(const Option& option) {
  if (!option.usual_text.empty()) return option.usual_text;
  const auto& all = spec_options();
  // --evaluate DATA of `learn` is not --evaluate WHEN of `run`.
  const auto at = std::find_if(all.begin(), all.end(), [&](const SpecOption& each) {
    return each.row.key == option.key && value_name(each.row) == value_name(option);
  });
  if (at == all.end()) return text_of(option.usual);
  std::string text;
  ValuesByName by_benchmark;
  for (const std::vector<Spec>& specs : paper_specs()) {
    const ValuesByName values = defaults_of(*at, specs);
    if (text.empty()) text = by_name(values);
    by_benchmark.emplace_back(specs.front().benchmark.name, short_by_name(values));
  }
  const auto groups = grouped(by_benchmark);
  for (std::size_t k = 1; k < groups.size(); ++k)
    text += fmt::format("; {}: {}", join(groups[k].first), groups[k].second);
  return text;
}

}  // namespace gps::cli
