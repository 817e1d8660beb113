#include "gps/report/tables/seed_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "gps/core/statistics.h"

namespace gps {
namespace {

// Returns "accuracy" for fractions, "training s" for seconds.
std::string unscaled_name(const SeedMeasure& measure) {
  return measure.column.unit == "%" ? measure.column.name : measure.column.head();
}

}  // namespace

Table shown(const SeedTable& table) {
  Table result(std::vector<Column>(table.keys.begin(), table.keys.end()));
  for (const SeedMeasure& measure : table.measures) result.columns.push_back(measure.column);
  for (const SeedRow& row : table.rows) {
    Row cells = row.keys;
    for (std::size_t m = 0; m < row.values.size(); ++m) {
      const SeedMeasure& measure = table.measures[m];
      const std::vector<double>& values = row.values[m];
      cells.push_back(values.empty()
                          ? Cell::missing()
                          : Cell::mean(scaled(summarise(values), measure.scale()), measure.digits));
    }
    result.rows.push_back(std::move(cells));
  }
  return result;
}

Table plain(const SeedTable& table) {
  Table result(std::vector<Column>(table.keys.begin(), table.keys.end()));
  for (const SeedMeasure& measure : table.measures) {
    for (const char* what : {"", " deviation", " seeds"})
      result.columns.emplace_back(measure.column.head() + what);
  }
  for (const SeedRow& row : table.rows) {
    Row cells = row.keys;
    for (std::size_t m = 0; m < row.values.size(); ++m) {
      const std::vector<double>& values = row.values[m];
      const Summary summary =
          values.empty() ? Summary{} : scaled(summarise(values), table.measures[m].scale());
      const bool is_known = summary.deviation && std::isfinite(*summary.deviation);
      cells.push_back(values.empty() ? Cell::nothing() : Cell::exact(summary.mean));
      cells.push_back(is_known ? Cell::exact(*summary.deviation) : Cell::nothing());
      cells.push_back(Cell::count(values.size()));
    }
    result.rows.push_back(std::move(cells));
  }
  return result;
}

nlohmann::json to_json(const SeedTable& table) {
  nlohmann::json rows = nlohmann::json::array();
  for (const SeedRow& row : table.rows) {
    nlohmann::json json = nlohmann::json::object();
    for (std::size_t k = 0; k < row.keys.size(); ++k) json[table.keys[k]] = row.keys[k].json();
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
