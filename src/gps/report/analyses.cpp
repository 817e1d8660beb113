#include "gps/report/analyses.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "gps/core/text/natural_order.h"
#include "gps/report/labels.h"

namespace gps {
namespace {

using nlohmann::json;

// Returns the options for a title: the spec and the analysis' own options as one object, without
// the options `apart`.
json setting_of(const json& options, const std::vector<std::string>& apart) {
  json flat = options.at("spec");
  for (const auto& [key, value] : options.items()) {
    const bool is_of_future = key == "epochs" || key == "examples";
    if (key != "spec") flat[is_of_future ? "simulation_" + key : key] = value;
  }
  for (const std::string& key : apart) flat.erase(key);
  return flat;
}

std::string start_of_title(const json& setting) {
  std::string title = fmt::format("{}, {} tasks", setting.at("benchmark").get<std::string>(),
                                  setting.at("tasks").get<int>());
  if (const json memory = memory_in(setting); !memory.is_null())
    title += ", memory " + (memory.is_string() ? memory.get<std::string>() : memory.dump());
  for (const char* key : {"task", "after"}) {
    if (setting.contains(key))
      title += fmt::format(", {} {}", key == std::string("task") ? "task" : "after task",
                           setting.at(key).dump());
  }
  return title;
}

// Returns the keys of this setting whose values are not those of a run without any option.
std::set<std::string> unusual_keys(const json& setting, const BenchmarkOptions& stream) {
  std::set<std::string> keys;
  const json usual = usual_setting(stream);
  for (const auto& [key, value] : usual.items()) {
    if (setting.contains(key) && setting.at(key) != value) keys.insert(key);
  }
  for (const char* key : {"benchmark", "tasks"}) keys.erase(key);
  return keys;
}

// Returns the title of each setting, by its text. A title has what is unusual, and as few other
// options as needed to distinguish the settings.
std::map<std::string, std::string> titles_of(
    const std::map<std::string, BenchmarkOptions>& settings) {
  std::map<std::string, std::vector<json>> alike;
  for (const auto& [text, stream] : settings) {
    const json setting = json::parse(text);
    alike[start_of_title(setting)].push_back(setting);
  }
  std::map<std::string, std::string> titles;
  for (const auto& [start, group] : alike) {
    const auto keys = group.size() > 1 ? telling_keys(group) : std::vector<std::string>();
    for (const json& setting : group) {
      std::string title = start;
      std::set<std::string> said = unusual_keys(setting, settings.at(setting.dump()));
      said.insert(keys.begin(), keys.end());
      for (const std::string& key : said) {
        if (setting.contains(key)) title += title_part(key, setting.at(key));
      }
      titles[setting.dump()] = title;
    }
  }
  return titles;
}

void require(const json& options, std::initializer_list<const char*> keys) {
  for (const char* key : keys) options.at(key);  // throws if the key is missing
}

RingSizeCurve curve_from(const json& result, std::size_t points) {
  RingSizeCurve curve = RingSizeCurve::from_json(result);
  const bool is_whole = curve.points.size() == points &&
                        std::none_of(curve.points.begin(), curve.points.end(),
                                     [](const RingSizePoint& point) { return point.path.empty(); });
  if (!is_whole) throw DataError("scores are missing");
  return curve;
}

}  // namespace

ReportedAnalysis reported(const StoredAnalysis& analysis) {
  if (!analysis.damage.empty()) {
    throw DataError(fmt::format("analysis {} ('{}') is damaged: {}", analysis.id, analysis.kind,
                                analysis.damage));
  }
  try {
    const json options = json::parse(analysis.options);
    const json result = json::parse(analysis.result);
    ReportedAnalysis read{
        analysis.kind, analysis.options, spec_from_json(options.at("spec")), analysis.seed, {}};
    if (analysis.kind == RingSizeOptions::kKind) {
      require(options, {"task", "future", "ratios"});
      read.result = curve_from(result, options.at("ratios").size());
    } else if (analysis.kind == DifficultyOptions::kKind) {
      require(options, {"task", "source"});
      read.result = Difficulty::from_json(result);
    } else if (analysis.kind == ZeroShotOptions::kKind) {
      require(options, {"after"});
      read.result = ZeroShot::from_json(result);
    } else {
      throw DataError("of no known kind");
    }
    return read;
  } catch (const std::exception& error) {
    throw DataError(fmt::format("analysis {} ('{}') cannot be read: {}", analysis.id, analysis.kind,
                                error.what()));
  }
}

std::vector<AnalysisGroup> groups_of(const std::vector<ReportedAnalysis>& analyses,
                                     const std::string& kind,
                                     const std::vector<std::string>& apart) {
  std::map<std::string, std::vector<const ReportedAnalysis*>> by_setting;
  std::map<std::string, BenchmarkOptions> settings;  // and the streams that they are of
  for (const ReportedAnalysis& analysis : analyses) {
    if (analysis.kind != kind) continue;
    const std::string setting = setting_of(json::parse(analysis.options), apart).dump();
    settings.emplace(setting, analysis.spec.benchmark);
    by_setting[setting].push_back(&analysis);
  }
  const std::map<std::string, std::string> titles = titles_of(settings);
  std::vector<AnalysisGroup> groups;
  for (auto& [setting, members] : by_setting)
    groups.push_back({titles.at(setting), std::move(members)});
  std::sort(groups.begin(), groups.end(), [](const AnalysisGroup& a, const AnalysisGroup& b) {
    return natural_less(a.title, b.title);
  });
  return groups;
}

std::size_t rank_of_tasks(const std::string& label) {
  static const std::vector<std::string> order = {"real", "offline", "permutation", "rotation",
                                                 "blurring"};
  std::size_t rank = 0;
  while (rank < order.size() && !label.starts_with(order[rank])) ++rank;
  return rank;
}

}  // namespace gps
