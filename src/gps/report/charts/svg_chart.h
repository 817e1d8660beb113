// Charts as SVG, for a paper: black on white, with colours that also print in grey, without a
// script.
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

// Values over x = first, first + 1, …, or over the given numbers (`at`), with a band of ± deviation
// if there is one. The line and the band have a gap where a value is missing.
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

// A line of a dot chart: single values as ticks, their mean as a dot, and an interval around it.
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

// Draws one square per entry. Rows go downwards; rows and columns are counted from 1. Rows may have
// different lengths. Numbers are written into the squares if they fit.
std::string svg_heat_map(const ChartTexts& texts, const std::vector<std::vector<double>>& rows);

}  // namespace gps
