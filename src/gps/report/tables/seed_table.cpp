#include "gps/report/tables/seed_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "gps/report/statistics.h"

namespace gps {
namespace {

std::string cell(const std::vector<double>& values, const SeedMeasure& measure) {
  if (values.empty()) return "-";
  const Summary summary = summarise(values);
  std::string text = fmt::format("{:.{}f}", measure.scale * summary.mean, measure.digits);
  if (summary.deviation && std::isfinite(*summary.deviation))
    text += fmt::format(" ± {:.{}f}", measure.scale * *summary.deviation, measure.digits);
  return text;
}

std::string unscaled_name(const SeedMeasure& measure) {
  const std::string& name = measure.name;
  return name.ends_with(" %") ? name.substr(0, name.size() - 2) : name;
}

}  // namespace

Table shown(const SeedTable& table) {
  Table texts = {table.keys};
  for (const SeedMeasure& measure : table.measures) texts.front().push_back(measure.name);
  for (const SeedRow& row : table.rows) {
    std::vector<std::string> cells = row.keys;
    for (std::size_t m = 0; m < row.values.size(); ++m)
      cells.push_back(cell(row.values[m], table.measures[m]));
    texts.push_back(std::move(cells));
  }
  return texts;
}

Table plain(const SeedTable& table) {
  Table texts = {table.keys};
  for (const SeedMeasure& measure : table.measures) {
    for (const char* what : {"", " deviation", " seeds"})
      texts.front().push_back(measure.name + what);
  }
  for (const SeedRow& row : table.rows) {
    std::vector<std::string> cells = row.keys;
    for (std::size_t m = 0; m < row.values.size(); ++m) {
      const double scale = table.measures[m].scale;
      const std::vector<double>& values = row.values[m];
      const Summary summary = values.empty() ? Summary{} : summarise(values);
      const bool is_known = summary.deviation && std::isfinite(*summary.deviation);
      cells.push_back(values.empty() ? "" : fmt::format("{}", scale * summary.mean));
      cells.push_back(is_known ? fmt::format("{}", scale * *summary.deviation) : "");
      cells.push_back(fmt::format("{}", values.size()));
    }
    texts.push_back(std::move(cells));
  }
  return texts;
}

nlohmann::json to_json(const SeedTable& table) {
  nlohmann::json rows = nlohmann::json::array();
  for (const SeedRow& row : table.rows) {
    nlohmann::json json = nlohmann::json::object();
    for (std::size_t k = 0; k < row.keys.size(); ++k) json[table.keys[k]] = row.keys[k];
    for (std::size_t m = 0; m < row.values.size(); ++m) {
      nlohmann::json& measure = json[unscaled_name(table.measures[m])];
      if (row.values[m].empty()) continue;
      const Summary summary = summarise(row.values[m]);
      measure = {{"values", row.values[m]}, {"mean", summary.mean}, {"deviation", nullptr}};
      if (summary.deviation) measure["deviation"] = *summary.deviation;
    }
    rows.push_back(std::move(json));
  }
  return rows;
}

std::string spark_line(std::span<const double> values) {
  constexpr std::array<const char*, 8> kLevels = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double lowest = INFINITY;
  double highest = -INFINITY;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  }
  std::string text;
  for (const double value : values) {
    const double share = !std::isfinite(value) ? 1
                         : highest > lowest    ? (value - lowest) / (highest - lowest)
                                               : 0;
    text += kLevels[static_cast<std::size_t>(std::lround(share * (kLevels.size() - 1)))];
  }
  return text;
}

}  // namespace gps
