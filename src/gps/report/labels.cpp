#include "gps/report/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "gps/experiments/planning/recipe.h"
#include "gps/experiments/spec/presets.h"
#include "gps/experiments/spec/spec_options.h"

namespace gps {
namespace {

std::string text_of(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// Returns " memory=100 tasks=20", for those keys that the spec has.
std::string options_text(const nlohmann::json& spec, const std::vector<std::string>& keys) {
  std::string text;
  for (const std::string& key : keys) {
    if (spec.contains(key)) text += fmt::format(" {}={}", key, text_of(spec.at(key)));
  }
  return text;
}

bool tell_apart(const std::vector<nlohmann::json>& specs, const std::vector<std::string>& keys) {
  std::set<std::string> seen;
  return std::all_of(specs.begin(), specs.end(), [&](const nlohmann::json& spec) {
    return seen.insert(options_text(spec, keys)).second;
  });
}

// Returns the spec without its learner, its policy and its plan: stream, network and training.
nlohmann::json bare_json(const Spec& spec) {
  Spec bare = spec;
  bare.learner = {};
  bare.learner.name = "sgd";
  bare.policy.name = "none";
  bare.planning = {};
  nlohmann::json options = to_json(bare);
  for (const char* key : {"learner", "policy", "learning_rate"}) options.erase(key);
  return options;
}

// Returns the spec with the usual value of everything that is planned. What was given instead is
// only where the planner started.
Spec without_planned(const Spec& spec) {
  Spec rest = spec;
  for (const RecipeKnob& knob : recipe_knobs()) {
    if (!is_planned(spec, knob.name)) continue;
    for (const std::string& flag : knob.flags) {
      const SpecOption* option = find_spec_option(flag);  // learner and policy are names
      if (option != nullptr) option->set(rest, option->row.usual);
    }
  }
  if (is_planned(spec, "learner")) rest.learner.name = Recipe().learner;
  if (is_planned(spec, "policy")) set_policy(rest.policy, Recipe().policy);
  return rest;
}

// Specs with the same short label, and what must be added to it to tell them apart.
class LabelledSpecs {
 public:
  void add(const Spec& spec) {
    const nlohmann::json options = to_json(spec);
    if (std::find(all_.begin(), all_.end(), options) == all_.end()) {
      all_.push_back(options);
      used_.push_back(to_json(without_planned(spec)));
    }
  }

  // To be called after the last add().
  void settle() {
    if (all_.size() < 2) return;
    std::set<std::string> texts;
    for (const nlohmann::json& options : used_) texts.insert(options.dump());
    differ_in_start_ = texts.size() < all_.size();
    keys_ = telling_keys(differ_in_start_ ? all_ : used_);
  }

  // Returns " memory=100", or " from epochs=1" for plans that differ only in where they start.
  std::string rest_of(const Spec& spec) const {
    if (keys_.empty()) return "";
    if (differ_in_start_) return " from" + options_text(to_json(spec), keys_);
    return options_text(to_json(without_planned(spec)), keys_);
  }

 private:
  std::vector<nlohmann::json> all_;
  std::vector<nlohmann::json> used_;  // the same without what is planned
  bool differ_in_start_ = false;
  std::vector<std::string> keys_;
};

// What runs must have in common to be compared.
struct Setting {
  nlohmann::json rest;    // stream, network and training, without the next two
  nlohmann::json memory;  // null: the learner has none
  nlohmann::json length;  // "epochs" and "steps"; null: planned
  BenchmarkOptions stream;

  // Whether a run with the other setting can stand beside those with this one.
  bool covers(const Setting& other) const {
    return rest == other.rest && (other.memory.is_null() || other.memory == memory) &&
           (other.length.is_null() || other.length == length);
  }
};

Setting setting_of(const Spec& spec) {
  Setting setting{bare_json(spec), {}, {}, spec.benchmark};
  if (spec.policy.name != "none") setting.memory = memory_in(to_json(spec));
  for (const char* key : {"epochs", "steps"}) {
    if (!is_planned(spec, "length") && setting.rest.contains(key))
      setting.length[key] = setting.rest.at(key);
    setting.rest.erase(key);
  }
  return setting;
}

std::string title_of(const Setting& setting, const std::vector<Setting>& others) {
  const auto options_of = [](const Setting& each) {
    nlohmann::json options = each.rest;
    if (!each.length.is_null()) options.update(each.length);
    return options;
  };
  nlohmann::json options = options_of(setting);
  std::string title =
      fmt::format("{}, {} task{}", text_of(options.at("benchmark")), text_of(options.at("tasks")),
                  text_of(options.at("tasks")) == "1" ? "" : "s");
  if (!setting.memory.is_null()) title += ", memory " + text_of(setting.memory);
  for (const char* key : {"benchmark", "tasks"}) options.erase(key);
  const nlohmann::json usual = usual_setting(setting.stream);
  for (const auto& [key, value] : options.items()) {
    const auto is_another = [k = key, v = value](const nlohmann::json& other) {
      return !other.contains(k) || other.at(k) != v;
    };
    const bool is_of_length = !setting.length.is_null() && setting.length.contains(key);
    if (is_another(usual) || std::any_of(others.begin(), others.end(), [&](const Setting& other) {
          const bool says_nothing = is_of_length && other.length.is_null();
          return !says_nothing && is_another(options_of(other));
        }))
      title += title_part(key, value);
  }
  return title;
}

// Returns the settings of these runs. None of them covers another.
std::vector<Setting> common_settings(const std::vector<Setting>& runs) {
  std::vector<Setting> known;
  const auto is_covered = [&](const Setting& run) {
    return std::any_of(known.begin(), known.end(),
                       [&](const Setting& each) { return each.covers(run); });
  };
  // Those that say more come first, since they may cover the others.
  for (const bool has_memory : {true, false}) {
    for (const bool has_length : {true, false}) {
      for (const Setting& run : runs) {
        if (run.memory.is_null() == has_memory || run.length.is_null() == has_length) continue;
        if (is_covered(run)) continue;
        // A planned run takes the length of a learner without a memory, to stand beside it.
        for (Setting& each : known) {
          if (!has_memory && each.length.is_null() && each.rest == run.rest)
            each.length = run.length;
        }
        if (!is_covered(run)) known.push_back(run);
      }
    }
  }
  return known;
}

}  // namespace

nlohmann::json usual_setting(const BenchmarkOptions& stream) {
  BenchmarkOptions usual;
  usual.name = stream.name;
  usual.tasks = stream.tasks;
  usual.own = stream.own;
  return bare_json(preset_spec("paper", usual, "sgd", default_memory(stream.name)));
}

std::string title_part(const std::string& key, const nlohmann::json& value) {
  std::string name = key;
  std::replace(name.begin(), name.end(), '_', ' ');
  if (!value.is_array()) return fmt::format(", {} {}", name, text_of(value));
  std::vector<std::string> parts;
  for (const nlohmann::json& part : value) parts.push_back(text_of(part));
  return fmt::format(", {} {}", name, parts.empty() ? "none" : join(parts, ","));
}

nlohmann::json memory_in(const nlohmann::json& spec) {
  if (!spec.is_object()) return {};
  const nlohmann::json bytes = spec.value("memory_bytes", nlohmann::json());
  if (bytes.is_number_unsigned()) return text_of(ByteCount{bytes.get<std::uint64_t>()});
  return spec.value("memory", nlohmann::json());
}

std::string stored_text(const RunResult& result) {
  if (result.memory_bytes == 0 || result.memory.empty()) return "";
  std::size_t images = 0;
  for (const TaskShare& share : result.memory.back()) {
    for (const auto& part : {share.ring, share.reservoir})
      images = std::accumulate(part.begin(), part.end(), images);
  }
  return fmt::format("{} images in {} bytes", images, result.memory_bytes);
}

std::vector<std::string> telling_keys(const std::vector<nlohmann::json>& specs) {
  std::set<std::string> all;
  for (const nlohmann::json& spec : specs) {
    for (const auto& [key, value] : spec.items()) all.insert(key);
  }
  std::vector<std::string> keys(all.begin(), all.end());
  // Start from the end: a key that follows from another (simulation_examples from memory) is then
  // removed before it.
  for (std::size_t k = keys.size(); k-- > 0;) {
    std::vector<std::string> fewer = keys;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
    if (tell_apart(specs, fewer)) keys = std::move(fewer);
  }
  return keys;
}

std::vector<std::string> distinct_labels(const std::vector<Spec>& specs) {
  std::set<std::string> benchmarks;
  std::vector<std::string> labels;
  for (const Spec& spec : specs) {
    benchmarks.insert(spec.benchmark.name);
    labels.push_back(run_label(spec, /*with_learner=*/true));
  }
  std::map<std::string, LabelledSpecs> alike;  // specs with the same short label
  for (std::size_t k = 0; k < specs.size(); ++k) {
    if (benchmarks.size() > 1) labels[k] = specs[k].benchmark.name + " " + labels[k];
    alike[labels[k]].add(specs[k]);
  }
  for (auto& [label, group] : alike) group.settle();
  for (std::size_t k = 0; k < specs.size(); ++k) labels[k] += alike.at(labels[k]).rest_of(specs[k]);
  return labels;
}

std::vector<ComparableResults> by_setting(const std::vector<RunResult>& results) {
  std::vector<Setting> of_runs;
  for (const RunResult& result : results) of_runs.push_back(setting_of(result.spec));
  const std::vector<Setting> settings = common_settings(of_runs);
  std::vector<ComparableResults> groups;
  for (const Setting& setting : settings) {
    ComparableResults group{title_of(setting, settings), {}};
    for (std::size_t k = 0; k < results.size(); ++k) {
      if (setting.covers(of_runs[k])) group.results.push_back(results[k]);
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace gps
