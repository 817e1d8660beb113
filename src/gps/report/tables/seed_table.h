// A table of what was measured over seeds: each cell a list of values, shown as mean ± standard
// deviation.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "gps/report/tables/table.h"

namespace gps {

struct SeedMeasure {
  Column column;   // with the unit "%", values are shares and are shown times 100
  int digits = 4;  // after the point, as it is shown

  double scale() const { return column.unit == "%" ? 100 : 1; }
};

struct SeedRow {
  std::vector<std::string> keys;            // what it is about
  std::vector<std::vector<double>> values;  // a list for each measure; empty: there is none
};

struct SeedTable {
  std::vector<std::string> keys;  // the heads of the first columns
  std::vector<SeedMeasure> measures;
  std::vector<SeedRow> rows;
};

// For people: "0.1234 ± 0.0012", "-" where there is nothing.
Table shown(const SeedTable& table);

// For programs: three columns a measure, the mean, the deviation and the number of values, scaled,
// with all digits.
Table plain(const SeedTable& table);

// One object a row: the keys, and for each measure {"values", "mean", "deviation"}, not scaled, and
// so without the " %" of its name: "accuracy" is a share. null where there is nothing, and for a
// value that is not finite.
nlohmann::json to_json(const SeedTable& table);

// One small column a value: "▇▄▁▂▅".
std::string spark_line(std::span<const double> values);

}  // namespace gps
