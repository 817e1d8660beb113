#include "gps/report/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "gps/experiments/presets.h"

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

// Returns the spec without its learner and its policy: stream, network and training.
nlohmann::json setting_of(const Spec& spec) {
  Spec bare = spec;
  bare.learner = {};
  bare.learner.name = "sgd";
  bare.policy.name = "none";
  nlohmann::json setting = to_json(bare);
  for (const char* key : {"learner", "policy", "learning_rate"}) setting.erase(key);
  return setting;
}

std::string title_of(nlohmann::json setting, const nlohmann::json& usual,
                     const std::vector<nlohmann::json>& others) {
  std::string title =
      fmt::format("{}, {} task{}", text_of(setting.at("benchmark")), text_of(setting.at("tasks")),
                  text_of(setting.at("tasks")) == "1" ? "" : "s");
  if (setting.contains("memory")) title += ", memory " + text_of(setting.at("memory"));
  for (const char* key : {"benchmark", "tasks", "memory"}) setting.erase(key);
  for (const auto& [key, value] : setting.items()) {
    const auto is_another = [k = key, v = value](const nlohmann::json& other) {
      return !other.contains(k) || other.at(k) != v;
    };
    if (is_another(usual) || std::any_of(others.begin(), others.end(), is_another))
      title += title_part(key, value);
  }
  return title;
}

}  // namespace

nlohmann::json usual_setting(const BenchmarkOptions& stream) {
  BenchmarkOptions usual;
  usual.name = stream.name;
  usual.tasks = stream.tasks;
  usual.own = stream.own;
  return setting_of(preset_spec("paper", usual, "sgd", default_memory(stream.name)));
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
  std::map<std::string, std::vector<nlohmann::json>> alike;  // specs with the same short label
  std::vector<std::string> labels;
  for (const Spec& spec : specs) {
    benchmarks.insert(spec.benchmark.name);
    labels.push_back(run_label(spec, /*with_learner=*/true));
  }
  for (std::size_t k = 0; k < specs.size(); ++k) {
    if (benchmarks.size() > 1) labels[k] = specs[k].benchmark.name + " " + labels[k];
    std::vector<nlohmann::json>& group = alike[labels[k]];
    const nlohmann::json json = to_json(specs[k]);
    if (std::find(group.begin(), group.end(), json) == group.end()) group.push_back(json);
  }
  std::map<std::string, std::vector<std::string>> keys;
  for (const auto& [label, group] : alike) {
    if (group.size() > 1) keys[label] = telling_keys(group);
  }
  for (std::size_t k = 0; k < specs.size(); ++k) {
    const auto at = keys.find(labels[k]);
    if (at != keys.end()) labels[k] += options_text(to_json(specs[k]), at->second);
  }
  return labels;
}

std::vector<ComparableResults> by_setting(const std::vector<RunResult>& results) {
  std::vector<nlohmann::json> settings;
  std::vector<BenchmarkOptions> streams;  // of the settings
  const auto covers = [](nlohmann::json known, const nlohmann::json& setting) {
    if (!setting.contains("memory")) known.erase("memory");
    return known == setting;
  };
  for (const bool has_memory : {true, false}) {  // a setting with a memory may cover one without
    for (const RunResult& result : results) {
      if ((result.spec.policy.name != "none") != has_memory) continue;
      nlohmann::json setting = setting_of(result.spec);
      if (has_memory) setting["memory"] = memory_in(to_json(result.spec));
      if (std::none_of(settings.begin(), settings.end(),
                       [&](const nlohmann::json& known) { return covers(known, setting); })) {
        settings.push_back(std::move(setting));
        streams.push_back(result.spec.benchmark);
      }
    }
  }
  std::vector<ComparableResults> groups;
  for (std::size_t k = 0; k < settings.size(); ++k) {
    const nlohmann::json& setting = settings[k];
    ComparableResults group{title_of(setting, usual_setting(streams[k]), settings), {}};
    nlohmann::json rest = setting;
    rest.erase("memory");
    for (const RunResult& result : results) {
      const bool has_memory = result.spec.policy.name != "none";
      const bool fits = !has_memory || (setting.contains("memory") &&
                                        setting.at("memory") == memory_in(to_json(result.spec)));
      if (fits && setting_of(result.spec) == rest) group.results.push_back(result);
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace gps
