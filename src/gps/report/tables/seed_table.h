// A table of values measured over seeds. Each cell is a list of values and is shown as mean ±
// standard deviation.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "gps/report/tables/table.h"

namespace gps {

struct SeedMeasure {
  Column column;   // values with the unit "%" are fractions and are shown times 100
  int digits = 4;  // digits after the point when shown

  double scale() const { return column.unit == "%" ? 100 : 1; }
};

struct SeedRow {
  std::vector<Cell> keys;                   // what the row is about
  std::vector<std::vector<double>> values;  // a list for each measure; empty: no value
};

struct SeedTable {
  std::vector<std::string> keys;  // the heads of the first columns
  std::vector<SeedMeasure> measures;
  std::vector<SeedRow> rows;
};

// For people: "0.1234 ± 0.0012", or "-" without values.
Table shown(const SeedTable& table);

// For programs: three columns per measure with the mean, the deviation and the number of values,
// scaled, with all digits.
Table plain(const SeedTable& table);

// Returns one object per row: the keys, of which numbers stay numbers, and for each measure
// {"values", "mean", "deviation"}.
// Values are not scaled, so the names have no " %": "accuracy" is a fraction. Missing values and
// values that are not finite are null.
nlohmann::json to_json(const SeedTable& table);

// Returns one small column per value: "▇▄▁▂▅".
std::string spark_line(std::span<const double> values);

}  // namespace gps
