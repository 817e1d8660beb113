#include "gps/report/pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "gps/experiments/leading.h"
#include "gps/report/charts/analysis_charts.h"
#include "gps/report/charts/curves.h"
#include "gps/report/charts/svg_chart.h"
#include "gps/report/tables/analysis_tables.h"
#include "gps/report/tables/paper_beside.h"

namespace gps {
namespace {

// Turns "p-mnist, 10 tasks" into "p-mnist-10-tasks", shortened for a file name.
std::string slug(const std::string& text) {
  constexpr std::size_t kLongest = 80;
  std::string name;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '.' || c == '+';
    if (is_plain) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  name.resize(std::min(name.size(), kLongest));
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name;
}

// A curve over the tasks for each line of a setting.
struct NamedCurve {
  std::string name;
  std::string title;
  std::string y;  // "accuracy, %"
  int first = 1;
  std::function<Curve(const ReportedLine& line)> of = nullptr;
  bool is_leading = false;  // whether it is of the accuracies that come first
};

Matrices matrices_of(const ReportedLine& line) {
  Matrices all;
  for (const RunResult* result : line.seeds) all.push_back(&leading_accuracy(*result));
  return all;
}

// Empty if every task has all classes.
Matrices matrices_of_own_classes(const ReportedLine& line) {
  Matrices all;
  for (const RunResult* result : line.seeds) {
    if (is_led_by_all_classes(*result)) all.push_back(&result->accuracy);
  }
  return all;
}

std::vector<NamedCurve> curves() {
  std::vector<NamedCurve> all = {
      {"accuracy-after-each-task", "Average accuracy on the tasks so far", "accuracy, %", 1,
       [](const ReportedLine& line) { return accuracy_curve(matrices_of(line)); },
       /*is_leading=*/true},
      {"forgetting", "Forgetting of the tasks before", "forgetting, points", 2,
       [](const ReportedLine& line) { return forgetting_curve(matrices_of(line)); },
       /*is_leading=*/true},
      {"own-classes-after-each-task", "Average accuracy among the classes of each task",
       "accuracy, %", 1,
       [](const ReportedLine& line) { return accuracy_curve(matrices_of_own_classes(line)); }}};
  for (const PlanKnob& knob : plan_knobs()) {
    if (!knob.is_of_quota) continue;
    const bool is_first = &knob == plan_knobs().data();
    all.push_back({is_first ? "switching-points" : fmt::format("switching-points-{}", knob.name),
                   fmt::format("The {} part of each new share", knob.meaning),
                   fmt::format("{} part, %", knob.name), 1,
                   [&knob](const ReportedLine& line) { return share_curve(knob, line.seeds); }});
  }
  return all;
}

// Returns a row for each line and a column for each task; empty if no line has the curve.
Table curve_table(const ReportedSetting& setting, const NamedCurve& curve) {
  std::size_t longest = 0;
  for (const ReportedLine& line : setting.lines) longest = std::max(longest, curve.of(line).size());
  if (longest == 0) return {};
  Table table = {"after task"};
  for (std::size_t k = 0; k < longest; ++k)
    table.columns.emplace_back(fmt::format("{}", curve.first + static_cast<int>(k)));
  for (const ReportedLine& line : setting.lines) {
    Curve points = curve.of(line);
    if (points.empty()) continue;
    points.resize(longest);
    Row row = {line.label};
    for (const auto& point : points)
      row.push_back(point ? Cell::mean(scaled(*point, 100)) : Cell::nothing());
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Returns how many seeds of a line have each point.
std::vector<std::size_t> seeds_with(const ReportedLine& line, const NamedCurve& curve,
                                    std::size_t points) {
  std::vector<std::size_t> counts(points);
  for (const RunResult* seed : line.seeds) {
    const Curve own = curve.of({line.label, {seed}, {}});
    for (std::size_t k = 0; k < own.size(); ++k) counts[k] += own[k] ? 1 : 0;
  }
  return counts;
}

// The same for programs: a row for each line and task, one number per cell.
Table plain_curve_table(const ReportedSetting& setting, const NamedCurve& curve) {
  std::string what = curve.y;
  std::erase(what, ',');
  Table table = {"runs", "after task", what, what + " deviation", "seeds"};
  for (const ReportedLine& line : setting.lines) {
    const Curve points = curve.of(line);
    const std::vector<std::size_t> seeds = seeds_with(line, curve, points.size());
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (!points[k]) continue;
      const Summary percent = scaled(*points[k], 100);
      table.rows.push_back(
          {line.label, Cell::count(static_cast<std::uint64_t>(curve.first) + k),
           Cell::significant(percent.mean, 6),
           percent.deviation ? Cell::significant(*percent.deviation, 6) : Cell::nothing(),
           Cell::count(seeds[k])});
    }
  }
  return table;
}

Table probes_table(const ReportedSetting& setting) {
  Table table = {"runs", "seed", "task", "quota"};
  for (const PlanKnob& knob : plan_knobs()) table.columns.emplace_back(knob.key);
  for (const char* head : {"accuracy", "loss", "is_chosen"}) table.columns.emplace_back(head);
  for (const ReportedLine& line : setting.lines) {
    for (const RunResult* result : line.seeds) {
      for (const Decision& decision : result->decisions) {
        for (const Trial& trial : decision.trials) {
          Row row = {line.label, Cell::count(result->seed), Cell::count(decision.task),
                     Cell::count(decision.quota)};
          for (const PlanKnob& knob : plan_knobs())
            row.push_back(Cell::count(trial.plan.*knob.value));
          row.push_back(Cell::exact(trial.outcome.accuracy));
          row.push_back(Cell::exact(trial.outcome.loss));
          row.push_back(Cell::count(trial.plan == decision.plan ? 1 : 0));
          table.rows.push_back(std::move(row));
        }
      }
    }
  }
  return table;
}

std::string rendered(const Table& table, const std::string& format) {
  if (format == "csv") return csv_table(table);
  return format == "md" ? markdown_table(table) : latex_table(table);
}

std::vector<Piece> tables_of(const ReportedSetting& setting, const std::string& format) {
  std::vector<Piece> pieces = {{"accuracy", rendered(setting.table, format)}};
  for (const NamedCurve& curve : curves()) {
    const Table table =
        format == "csv" ? plain_curve_table(setting, curve) : curve_table(setting, curve);
    if (!table.is_empty()) pieces.push_back({curve.name, rendered(table, format)});
  }
  const Table probes = probes_table(setting);
  if (format == "csv" && !probes.is_empty()) pieces.push_back({"probes", rendered(probes, format)});
  return pieces;
}

std::vector<std::vector<double>> in_percent(AccuracyMatrix matrix) {
  for (std::vector<double>& row : matrix) {
    for (double& value : row) value *= 100;
  }
  return matrix;
}

// Returns the stored examples in each part after each task, as means over seeds; empty without a
// memory.
std::vector<std::vector<double>> memory_parts(const ReportedLine& line) {
  std::size_t stages = 0;
  for (const RunResult* result : line.seeds) stages = std::max(stages, result->memory.size());
  if (stages == 0) return {};
  std::vector<std::vector<double>> parts(2, std::vector<double>(stages));
  const auto n = static_cast<double>(line.seeds.size());
  const auto sum = [](const std::vector<std::size_t>& counts) {
    return static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  };
  for (const RunResult* result : line.seeds) {
    for (std::size_t i = 0; i < result->memory.size(); ++i) {
      for (const TaskShare& share : result->memory[i]) {
        parts[0][i] += sum(share.ring) / n;
        parts[1][i] += sum(share.reservoir) / n;
      }
    }
  }
  return parts;
}

ChartDots dots_of(const ReportedLine& line) {
  ChartDots dots{line.label, 0, {}, {}};
  for (const RunResult* result : line.seeds)
    dots.values.push_back(100 * leading_metrics(*result).average_accuracy());
  dots.mean = summarise(dots.values).mean;
  dots.half_width = half_width_of_mean(dots.values);
  return dots;
}

std::vector<Piece> charts_of(const ReportedSetting& setting) {
  const std::string& title = setting.comparable.title;
  const std::string among =
      is_led_by_all_classes(setting.comparable.results.front()) ? ", among all classes" : "";
  std::vector<ChartDots> dots;
  for (const ReportedLine& line : setting.lines) dots.push_back(dots_of(line));
  std::vector<Piece> pieces = {
      {"accuracy",
       svg_dot_chart({title, "average accuracy, %" + among + "; 95 % intervals", ""}, dots)}};
  for (const NamedCurve& curve : curves()) {
    std::vector<ChartLine> lines;
    for (const ReportedLine& line : setting.lines) {
      ChartLine chart{line.label, curve.first, {}};
      for (const std::optional<Summary>& summary : curve.of(line)) {
        chart.points.emplace_back();
        if (!summary) continue;
        chart.points.back() = scaled(*summary, 100);
      }
      if (!chart.points.empty()) lines.push_back(std::move(chart));
    }
    if (!lines.empty()) {
      const std::string titled = curve.title + (curve.is_leading ? among : "");
      pieces.push_back({curve.name, svg_line_chart({titled, "after task", curve.y}, lines)});
    }
  }
  for (const ReportedLine& line : setting.lines) {
    pieces.push_back({"matrix-" + slug(line.label),
                      svg_heat_map({line.label + among, "accuracy on task, %", "after task"},
                                   in_percent(mean_matrix(matrices_of(line))))});
    const auto parts = memory_parts(line);
    if (parts.empty()) continue;
    pieces.push_back({"memory-" + slug(line.label),
                      svg_column_chart({line.label, "after task", "stored examples"},
                                       {"ring part", "reservoir part"}, parts)});
  }
  return pieces;
}

std::vector<ChartLine> chart_lines(const AnalysisChart& chart, std::size_t measure) {
  const double scale = chart.measures[measure].scale();
  std::vector<ChartLine> lines;
  for (const AnalysisLine& line : chart.lines) {
    ChartLine drawn{line.label, 0, {}, {}};
    for (const AnalysisPoint& point : line.points) {
      drawn.at.push_back(point.x);
      drawn.points.emplace_back();
      if (point.values[measure].empty()) continue;
      const Summary summary = summarise(point.values[measure]);
      if (!std::isfinite(summary.mean)) continue;  // a network that diverged
      drawn.points.back() = scaled(summary, scale);
    }
    lines.push_back(std::move(drawn));
  }
  return lines;
}

std::vector<Piece> charts_of(const AnalysisChart& chart) {
  std::vector<Piece> pieces;
  for (std::size_t m = 0; m < chart.drawn; ++m) {
    const std::string measure = chart.measures[m].column.head();
    pieces.push_back(
        {slug(measure), svg_line_chart({chart.title, chart.x_title, measure + ", mean ± deviation"},
                                       chart_lines(chart, m))});
  }
  return pieces;
}

// The names are "analysis-ring-size-1-p-mnist-…", numbered within each kind.
std::vector<Piece> analysis_pieces(const Report& report,
                                   const std::vector<ReportedSetting>& settings,
                                   const std::string& format) {
  std::vector<Piece> all;
  std::map<std::string, int> counts;
  for (const AnalysisChart& chart : analysis_charts(report.analyses)) {
    const std::string name =
        fmt::format("analysis-{}-{}-{}", chart.kind, ++counts[chart.kind], slug(chart.title));
    if (format == "svg") {
      for (Piece& piece : charts_of(chart))
        all.push_back({fmt::format("{}-{}", name, piece.name), std::move(piece.text)});
    } else {
      const bool is_csv = format == "csv";
      const SeedTable table = table_of(chart, /*with_seeds=*/!is_csv);
      all.push_back({name, rendered(is_csv ? plain(table) : shown(table), format)});
    }
  }
  if (format == "svg") return all;
  for (const AnalysisTable& table : analysis_tables(report.analyses, settings))
    all.push_back({"analysis-" + table.name, rendered(table.table, format)});
  return all;
}

}  // namespace

const std::vector<std::string>& piece_formats() {
  static const std::vector<std::string> formats = {"svg", "csv", "md", "latex"};
  return formats;
}

std::vector<Piece> pieces_of(const Report& report, const std::string& format) {
  const std::string extension = format == "latex" ? "tex" : format;
  std::vector<Piece> all;
  const std::vector<ReportedSetting> settings = settings_of(report);
  for (std::size_t k = 0; k < settings.size(); ++k) {
    const std::string prefix = fmt::format("{}-{}", k + 1, slug(settings[k].comparable.title));
    for (Piece& piece : format == "svg" ? charts_of(settings[k]) : tables_of(settings[k], format)) {
      all.push_back(
          {fmt::format("{}-{}.{}", prefix, piece.name, extension), std::move(piece.text)});
    }
  }
  for (Piece& piece : analysis_pieces(report, settings, format))
    all.push_back({fmt::format("{}.{}", piece.name, extension), std::move(piece.text)});
  if (format == "svg") return all;
  for (const PaperTable& table : paper_beside(settings)) {
    all.push_back(
        {fmt::format("paper-{}.{}", slug(table.title), extension), rendered(table.table, format)});
  }
  return all;
}

}  // namespace gps
