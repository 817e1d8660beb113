#include "gps/experiments/spec/spec_options.h"

#include <fmt/format.h>

#include <algorithm>

namespace gps {
namespace {

std::string why_no_augmentation(const Spec& spec) {
  if (!spec.network.backbone.empty()) return "features, which are computed once for each image";
  return fmt::format("{}, whose images are grey", spec.benchmark.name);
}

// Whether the option of a plan matters to the stream, if there is a plan. A stream whose tasks have
// classes of their own is planned task by task, so that none of the later tasks is imagined.
bool suits_stream(const std::string& key, const Spec& spec) {
  if (key == "plan_for") return is_split(spec.benchmark);
  return key != "plan_tasks" || !is_split(spec.benchmark);
}

std::string why_no_part_of_plan(const std::string& key, const Spec& spec) {
  if (spec.planning.knobs.empty()) return "a run without `plan`";
  const std::string& stream = spec.benchmark.name;
  return stream + (key == "plan_for" ? ", whose tasks have the same classes"
                                     : ", which is planned task by task");
}

void add_stream_options(std::vector<SpecOption>& all) {
  for (const BoundOption<BenchmarkOptions>& each : benchmark_options()) {
    SpecOption option{{.row = each.row, .group = "The stream"}};
    option.get = [each](const Spec& spec) { return each.get(spec.benchmark); };
    option.set = [each](Spec& spec, const OptionValue& value) { each.set(spec.benchmark, value); };
    option.concerns = [](const Spec&) { return true; };
    if (each.row.key == "augment") {
      option.concerns = [](const Spec& spec) {
        const bool is_colour = default_model(treated_as(spec.benchmark)) != "mlp";
        return is_colour && spec.network.backbone.empty();
      };
      option.instead = why_no_augmentation;
      option.is_always_written = true;
    }
    all.push_back(std::move(option));
  }
}

void add_method_options(std::vector<SpecOption>& all) {
  for (const MethodOption& each : method_options()) {
    SpecOption option{static_cast<const FamilyOption&>(each)};
    option.get = [&each](const Spec& spec) {  // only policies ask what the stream is like
      return each.get(spec, each.family == "policy" ? outlook_of(spec.benchmark) : Outlook());
    };
    option.set = each.set;
    option.concerns = each.concerns;
    option.instead = each.instead;
    all.push_back(std::move(option));
  }
}

void add_planning_options(std::vector<SpecOption>& all) {
  for (const BoundOption<PlanningOptions>& each : planning_options()) {
    SpecOption option{{.row = each.row, .group = "Planned learning"}};
    option.get = [each](const Spec& spec) { return each.get(spec.planning); };
    option.set = [each](Spec& spec, const OptionValue& value) { each.set(spec.planning, value); };
    option.concerns = [key = each.row.key](const Spec& spec) {
      return key == "plan" || (!spec.planning.knobs.empty() && suits_stream(key, spec));
    };
    option.instead = [key = each.row.key](const Spec& spec) {
      return why_no_part_of_plan(key, spec);
    };
    all.push_back(std::move(option));
  }
}

void add_evaluation_options(std::vector<SpecOption>& all) {
  for (const BoundOption<EvaluationOptions>& each : evaluation_options()) {
    SpecOption option{{.row = each.row, .group = "Evaluation"}};
    option.get = [each](const Spec& spec) { return each.get(spec.evaluation); };
    option.set = [each](Spec& spec, const OptionValue& value) { each.set(spec.evaluation, value); };
    option.concerns = [](const Spec&) { return true; };
    all.push_back(std::move(option));
  }
}

}  // namespace

const std::vector<SpecOption>& spec_options() {
  static const std::vector<SpecOption> all = [] {
    std::vector<SpecOption> options;
    add_stream_options(options);
    add_method_options(options);
    add_planning_options(options);
    add_evaluation_options(options);
    return options;
  }();
  return all;
}

const SpecOption& spec_option(const std::string& key) {
  return *std::find_if(spec_options().begin(), spec_options().end(),
                       [&](const SpecOption& option) { return option.row.key == key; });
}

const SpecOption* find_spec_option(const std::string& flag, const std::string& text) {
  return find_by_flag(spec_options(), flag, text);
}

void set_option(Spec& spec, const std::string& flag, const std::string& text) {
  const SpecOption* option = find_spec_option(flag, text);
  if (option == nullptr) throw OptionError(flag, "is not an option of a run");
  option->set(spec, read_value(option->row, text));
}

}  // namespace gps
