// Charts as SVG, for a paper: black on white, a palette that also prints in grey, no script.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gps/core/statistics.h"

namespace gps {

struct ChartTexts {
  std::string title;
  std::string x;
  std::string y;
};

// y over x = first, first + 1, …, or over numbers of its own (`at`), with a band of ± deviation
// where there is one. A gap is left where there is no value.
struct ChartLine {
  std::string label;
  int first = 1;
  std::vector<std::optional<Summary>> points;
  std::vector<double> at{};  // the x of each point; empty: counted from `first`

  double x(std::size_t point) const {
    return at.empty() ? first + static_cast<double>(point) : at[point];
  }
};
std::string svg_line_chart(const ChartTexts& texts, const std::vector<ChartLine>& lines);

// One line a label: single values as ticks, their mean as a dot, an interval around it.
struct ChartDots {
  std::string label;
  double mean = 0;
  std::optional<double> half_width;
  std::vector<double> values;
};
std::string svg_dot_chart(const ChartTexts& texts, const std::vector<ChartDots>& dots);

// Stacked columns: heights[k] belongs to labels[k], one entry for x = 1, 2, …
std::string svg_column_chart(const ChartTexts& texts, const std::vector<std::string>& labels,
                             const std::vector<std::vector<double>>& heights);

// One square an entry, rows downwards, both counted from 1, numbers written into it where they fit.
std::string svg_heat_map(const ChartTexts& texts, const std::vector<std::vector<double>>& rows);

}  // namespace gps
