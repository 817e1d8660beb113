#include "gps/report/charts/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace gps {
namespace {

constexpr std::array<const char*, 8> kColours = {"#2b83ba", "#d55e00", "#0f9d75", "#c25b9b",
                                                 "#a6761d", "#7b6fd0", "#e0a100", "#5f8f2f"};
const char* colour(std::size_t k) { return kColours[k % kColours.size()]; }

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&') {
      safe += "&amp;";
    } else if (c == '<') {
      safe += "&lt;";
    } else if (c == '>') {
      safe += "&gt;";
    } else {
      safe += c;
    }
  }
  return safe;
}

// Maps values to pixels, and chooses round numbers for the marks.
class AxisScale {
 public:
  AxisScale(double low, double high, double first, double last) : first_(first), last_(last) {
    if (!(low <= high)) low = 0, high = 1;  // there were no values
    if (is_one_value(low, high)) low -= 1, high += 1;
    step_ = std::pow(10, std::floor(std::log10((high - low) / 4)));
    for (const double factor : {2.0, 2.5, 2.0}) {
      if ((high - low) / step_ > 8) step_ *= factor;
    }
    low_ = std::floor(low / step_) * step_;
    high_ = std::ceil(high / step_) * step_;
  }
  double operator()(double value) const {
    return first_ + (value - low_) / (high_ - low_) * (last_ - first_);
  }
  std::vector<double> marks() const {
    std::vector<double> all;
    for (double mark = low_; mark <= high_ + step_ / 2; mark += step_) all.push_back(mark);
    return all;
  }

 private:
  // Whether the values differ only by rounding. Marks between them could not be told apart.
  static bool is_one_value(double low, double high) {
    return high - low <= 1e-9 * std::max(1.0, std::abs(high));
  }

  double first_;
  double last_;
  double step_ = 1;
  double low_ = 0;
  double high_ = 1;
};

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

class Drawing {
 public:
  Drawing(double width, double height, const std::string& title) {
    text_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
        "height=\"{1:g}\" role=\"img\" font-family=\"Helvetica, Arial, sans-serif\" "
        "font-size=\"11\">\n<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" "
        "fill=\"white\"/>\n",
        width, height, escaped(title));
  }
  void line(double x1, double y1, double x2, double y2, const std::string& style) {
    text_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1,
                         y1, x2, y2, style);
  }
  void rect(double x, double y, double width, double height, const std::string& fill) {
    text_ += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x, y,
        width, height, fill);
  }
  void circle(double x, double y, double radius, const std::string& fill) {
    text_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\" fill=\"{}\"/>\n", x, y,
                         radius, fill);
  }
  void path(const std::string& points, const std::string& style) {
    text_ += fmt::format("<path d=\"{}\" {}/>\n", points, style);
  }
  void words(double x, double y, const std::string& text, const std::string& style = "") {
    text_ +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, style, escaped(text));
  }
  std::string finished() { return std::move(text_) + "</svg>\n"; }

 private:
  std::string text_;
};

constexpr const char* kMiddle = "text-anchor=\"middle\"";
constexpr const char* kEnd = "text-anchor=\"end\"";
constexpr const char* kGrid = "stroke=\"#ddd\"";
constexpr const char* kAxis = "stroke=\"#444\"";

constexpr double kWidth = 460;
constexpr double kLeft = 52;
constexpr double kTop = 30;
constexpr double kPlotHeight = 220;
constexpr double kRight = kWidth - 14;
constexpr double kBottom = kTop + kPlotHeight;

void y_axis(Drawing& drawing, const AxisScale& y, const std::string& title) {
  for (const double mark : y.marks()) {
    drawing.line(kLeft, y(mark), kRight, y(mark), kGrid);
    drawing.words(kLeft - 6, y(mark) + 4, fmt::format("{:g}", std::round(mark * 1e6) / 1e6), kEnd);
  }
  drawing.words(14, (kTop + kBottom) / 2, title,
                fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 14 {:.1f})\"",
                            (kTop + kBottom) / 2));
}

void legend(Drawing& drawing, const std::vector<std::string>& labels, double y) {
  for (std::size_t k = 0; k < labels.size(); ++k) {
    const double line = y + 16 * static_cast<double>(k);
    drawing.rect(kLeft, line - 8, 14, 8, colour(k));
    drawing.words(kLeft + 20, line, labels[k]);
  }
}

double height_with_legend(std::size_t labels) {
  return kBottom + 48 + 16 * static_cast<double>(labels);
}

// Returns the step between labels of 1, 2, …, n, so that at most `fit` are shown.
std::size_t stride(std::size_t n, std::size_t fit) {
  return std::max<std::size_t>(1, (n + fit - 1) / fit);
}

// Returns round numbers for the x axis. If x is counted, returns every stride-th of its values.
std::vector<double> x_marks(const Range& along, bool is_counted) {
  std::vector<double> marks;
  if (!is_counted) {
    for (const double mark : AxisScale(along.low, along.high, 0, 1).marks()) {
      if (along.low <= mark && mark <= along.high) marks.push_back(mark);
    }
    return marks;
  }
  const auto count = static_cast<std::size_t>(std::max(0.0, along.high - along.low)) + 1;
  for (std::size_t k = 0; k < count; k += stride(count, 20))
    marks.push_back(along.low + static_cast<double>(k));
  return marks;
}

std::string ramp(double share) {  // light to dark blue, also evenly in grey
  const auto mix = [&](double from, double to) {
    return static_cast<int>(std::lround(from + share * (to - from)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(247, 8), mix(251, 48), mix(255, 107));
}

}  // namespace

std::string svg_line_chart(const ChartTexts& texts, const std::vector<ChartLine>& lines) {
  Range range;
  Range along;
  bool is_counted = true;
  for (const ChartLine& line : lines) {
    is_counted = is_counted && line.at.empty();
    for (std::size_t p = 0; p < line.points.size(); ++p) {
      along.include(line.x(p));
      const auto& point = line.points[p];
      if (!point) continue;
      range.include(point->mean - point->deviation.value_or(0));
      range.include(point->mean + point->deviation.value_or(0));
    }
  }
  Drawing drawing(kWidth, height_with_legend(lines.size()), texts.title);
  drawing.words(kLeft, 18, texts.title, "font-size=\"13\"");
  const AxisScale y(range.low, range.high, kBottom, kTop);
  y_axis(drawing, y, texts.y);
  const auto x = [&](double value) {
    const double share =
        along.high > along.low ? (value - along.low) / (along.high - along.low) : 0.5;
    return kLeft + 12 + share * (kRight - kLeft - 24);
  };
  for (const double mark : x_marks(along, is_counted))
    drawing.words(x(mark), kBottom + 16, fmt::format("{:g}", mark), kMiddle);
  drawing.words((kLeft + kRight) / 2, kBottom + 32, texts.x, kMiddle);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    std::string path;
    std::string band;   // the finished pieces: one for each unbroken part of the line
    std::string upper;  // of the current piece
    std::string lower;  // of the current piece, in reverse order
    const auto end_piece = [&] {
      if (!upper.empty()) band += upper + lower + "Z ";
      upper.clear();
      lower.clear();
    };
    for (std::size_t p = 0; p < lines[k].points.size(); ++p) {
      const auto& point = lines[k].points[p];
      if (!point) {
        end_piece();
        continue;
      }
      const double at = x(lines[k].x(p));
      const char move = upper.empty() ? 'M' : 'L';
      path += fmt::format("{}{:.1f} {:.1f} ", move, at, y(point->mean));
      const double half = point->deviation.value_or(0);
      upper += fmt::format("{}{:.1f} {:.1f} ", move, at, y(point->mean + half));
      lower.insert(0, fmt::format("L{:.1f} {:.1f} ", at, y(point->mean - half)));
    }
    end_piece();
    drawing.path(band, fmt::format("fill=\"{}\" fill-opacity=\"0.15\"", colour(k)));
    drawing.path(path, fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"", colour(k)));
    for (std::size_t p = 0; p < lines[k].points.size(); ++p) {
      if (lines[k].points[p])
        drawing.circle(x(lines[k].x(p)), y(lines[k].points[p]->mean), 2.4, colour(k));
    }
  }
  std::vector<std::string> labels;
  for (const ChartLine& line : lines) labels.push_back(line.label);
  legend(drawing, labels, kBottom + 52);
  return drawing.finished();
}

std::string svg_dot_chart(const ChartTexts& texts, const std::vector<ChartDots>& dots) {
  Range range;
  std::size_t longest = 0;
  for (const ChartDots& each : dots) {
    range.include(each.mean - each.half_width.value_or(0));
    range.include(each.mean + each.half_width.value_or(0));
    for (const double value : each.values) range.include(value);
    longest = std::max(longest, each.label.size());
  }
  const double left = std::min(230.0, 16 + 6.2 * static_cast<double>(longest));
  const double bottom = kTop + 28 * static_cast<double>(dots.size());
  Drawing drawing(kWidth, bottom + 44, texts.title);
  drawing.words(14, 18, texts.title, "font-size=\"13\"");
  const AxisScale x(range.low, range.high, left + 8, kRight);
  for (const double mark : x.marks()) {
    drawing.line(x(mark), kTop, x(mark), bottom, kGrid);
    drawing.words(x(mark), bottom + 16, fmt::format("{:g}", std::round(mark * 1e6) / 1e6), kMiddle);
  }
  drawing.words((left + kRight) / 2, bottom + 34, texts.x, kMiddle);
  for (std::size_t k = 0; k < dots.size(); ++k) {
    const double y = kTop + 28 * static_cast<double>(k) + 14;
    drawing.words(left, y + 4, dots[k].label, kEnd);
    const std::string stroke = fmt::format("stroke=\"{}\" stroke-width=\"1.8\"", colour(k));
    const double half = dots[k].half_width.value_or(0);
    drawing.line(x(dots[k].mean - half), y, x(dots[k].mean + half), y, stroke);
    for (const double value : dots[k].values)
      drawing.line(x(value), y - 6, x(value), y + 6, stroke + " stroke-opacity=\"0.5\"");
    drawing.circle(x(dots[k].mean), y, 4, colour(k));
  }
  return drawing.finished();
}

std::string svg_column_chart(const ChartTexts& texts, const std::vector<std::string>& labels,
                             const std::vector<std::vector<double>>& heights) {
  const std::size_t columns = heights.empty() ? 0 : heights.front().size();
  Range range{0, 0};
  for (std::size_t c = 0; c < columns; ++c) {
    double total = 0;
    for (const std::vector<double>& part : heights) total += part[c];
    range.include(total);
  }
  Drawing drawing(kWidth, height_with_legend(labels.size()), texts.title);
  drawing.words(kLeft, 18, texts.title, "font-size=\"13\"");
  const AxisScale y(range.low, range.high, kBottom, kTop);
  y_axis(drawing, y, texts.y);
  const double width = (kRight - kLeft) / static_cast<double>(std::max<std::size_t>(1, columns));
  for (std::size_t c = 0; c < columns; ++c) {
    const double x = kLeft + width * static_cast<double>(c);
    double below = 0;
    for (std::size_t k = 0; k < heights.size(); ++k) {
      const double top = y(below + heights[k][c]);
      drawing.rect(x + width * 0.1, top, width * 0.8, y(below) - top, colour(k));
      below += heights[k][c];
    }
    if (c % stride(columns, 20) == 0)
      drawing.words(x + width / 2, kBottom + 16, fmt::format("{}", c + 1), kMiddle);
  }
  drawing.line(kLeft, kBottom, kRight, kBottom, kAxis);
  drawing.words((kLeft + kRight) / 2, kBottom + 32, texts.x, kMiddle);
  legend(drawing, labels, kBottom + 52);
  return drawing.finished();
}

std::string svg_heat_map(const ChartTexts& texts, const std::vector<std::vector<double>>& rows) {
  std::size_t columns = 0;
  Range range;
  for (const std::vector<double>& row : rows) {
    columns = std::max(columns, row.size());
    for (const double value : row) range.include(value);
  }
  const double side =
      std::clamp(400 / static_cast<double>(std::max<std::size_t>(1, columns)), 8.0, 40.0);
  const double right = kLeft + side * static_cast<double>(columns);
  const double bottom = kTop + side * static_cast<double>(rows.size());
  Drawing drawing(std::max(right + 14, 240.0), bottom + 44, texts.title);
  drawing.words(14, 18, texts.title, "font-size=\"13\"");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double y = kTop + side * static_cast<double>(i);
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      const double x = kLeft + side * static_cast<double>(j);
      const double share =
          range.high > range.low ? (rows[i][j] - range.low) / (range.high - range.low) : 0.5;
      drawing.rect(x, y, side, side, ramp(share));
      if (side < 30) continue;
      drawing.words(
          x + side / 2, y + side / 2 + 4, fmt::format("{:.1f}", rows[i][j]),
          fmt::format("{} font-size=\"10\" fill=\"{}\"", kMiddle, share > 0.5 ? "white" : "black"));
    }
    if (i % stride(rows.size(), 20) == 0)
      drawing.words(kLeft - 6, y + side / 2 + 4, fmt::format("{}", i + 1), kEnd);
  }
  for (std::size_t j = 0; j < columns; j += stride(columns, 20)) {
    drawing.words(kLeft + side * (static_cast<double>(j) + 0.5), bottom + 14,
                  fmt::format("{}", j + 1), kMiddle);
  }
  drawing.words((kLeft + right) / 2, bottom + 32, texts.x, kMiddle);
  drawing.words(14, (kTop + bottom) / 2, texts.y,
                fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 14 {:.1f})\"",
                            (kTop + bottom) / 2));
  return drawing.finished();
}

}  // namespace gps
