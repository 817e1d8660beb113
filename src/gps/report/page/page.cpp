#include "gps/report/page/page.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "gps/core/version.h"
#include "gps/experiments/leading.h"
#include "gps/experiments/prediction.h"
#include "gps/report/charts/analysis_charts.h"
#include "gps/report/charts/curves.h"
#include "gps/report/comparison.h"
#include "gps/report/labels.h"
#include "gps/report/page/packing.h"
#include "gps/report/page/page_details.h"
#include "gps/report/tables/analysis_tables.h"
#include "gps/report/tables/metrics_table.h"
#include "gps/report/tables/paper_beside.h"

namespace gps {
namespace {

using nlohmann::json;

// Six digits are more than any chart shows.
json number(double value) { return std::round(value * 1e6) / 1e6; }
json number(const std::optional<double>& value) { return value ? number(*value) : json(); }

template <typename Metric>
json mean_json(const ReportedLine& line, const Metric& metric) {
  std::vector<double> values;
  for (const RunResult* result : line.seeds) {
    const std::optional<double> value = metric(*result);
    if (!value) return nullptr;
    values.push_back(*value);
  }
  const Summary summary = summarise(values);
  return {{"mean", number(summary.mean)},
          {"deviation", number(summary.deviation)},
          {"half_width", number(half_width_of_mean(values))}};
}

// Returns [mean, deviation], or [mean] for a single seed. There are many points, so they have only
// five digits.
json point(const Summary& summary) {
  const auto rounded = [](double value) { return std::round(value * 1e5) / 1e5; };
  json both = json::array({rounded(summary.mean)});
  if (summary.deviation) both.push_back(rounded(*summary.deviation));
  return both;
}

json curve_json(const Curve& curve) {
  json points = json::array();
  for (const std::optional<Summary>& summary : curve)
    points.push_back(summary ? point(*summary) : json());
  return points;
}

// Returns one curve per knob of the plan, in the order of plan_knobs(); empty for knobs that are
// not part of the quota.
json shares_json(const ReportedLine& line) {
  json curves = json::array();
  for (const PlanKnob& knob : plan_knobs()) {
    curves.push_back(knob.is_of_quota ? curve_json(share_curve(knob, line.seeds)) : json::array());
  }
  return curves;
}

json knobs_json() {
  json knobs = json::array();
  for (const PlanKnob& knob : plan_knobs())
    knobs.push_back({{"name", knob.name},
                     {"title", knob.title},
                     {"meaning", knob.meaning},
                     {"is_of_quota", knob.is_of_quota}});
  return knobs;
}

json line_json(const ReportedLine& line) {
  Matrices leading;
  Matrices own;  // only if they are others
  Seconds seconds;
  json accuracies = json::array();
  for (const RunResult* result : line.seeds) {
    leading.push_back(&leading_accuracy(*result));
    if (is_led_by_all_classes(*result)) own.push_back(&result->accuracy);
    const auto n = static_cast<double>(line.seeds.size());
    seconds.training += result->seconds.training / n;
    seconds.simulation += result->seconds.simulation / n;
    seconds.evaluation += result->seconds.evaluation / n;
    accuracies.push_back({result->seed, number(leading_metrics(*result).average_accuracy())});
  }
  const auto collapsed =
      std::count_if(line.seeds.begin(), line.seeds.end(),
                    [](const RunResult* result) { return result->has_collapsed; });
  const RunNames names = run_names(line.seeds.front()->spec);
  return {{"label", line.label},
          {"collapsed", collapsed},
          {"learner", names.learner},
          {"policy", names.label},
          {"runs", line.ids},
          {"accuracy", mean_json(line,
                                 [](const RunResult& result) {
                                   return std::optional(leading_metrics(result).average_accuracy());
                                 })},
          {"accuracies", std::move(accuracies)},
          {"curve", curve_json(accuracy_curve(leading))},
          {"forgetting", curve_json(forgetting_curve(leading))},
          {"own_curve", curve_json(accuracy_curve(own))},
          {"own_forgetting", curve_json(forgetting_curve(own))},
          {"shares", shares_json(line)},
          {"seconds",
           {{"training", number(seconds.training)},
            {"simulation", number(seconds.simulation)},
            {"evaluation", number(seconds.evaluation)}}}};
}

json setting_json(const ReportedSetting& setting) {
  const Spec& spec = setting.comparable.results.front().spec;
  json lines = json::array();
  for (const ReportedLine& line : setting.lines) lines.push_back(line_json(line));
  json data = json_table(setting.table);
  data.update({{"title", setting.comparable.title},
               {"benchmark", spec.benchmark.name},
               {"tasks", spec.benchmark.tasks},
               {"among", among_note(setting.comparable.results)},
               {"collapsed", collapsed_note(setting.comparable.results)},
               {"lines", std::move(lines)}});
  return data;
}

// Returns [x, [mean, deviation, seeds] of each measure], scaled as it is shown.
json point_json(const AnalysisPoint& point, const std::vector<SeedMeasure>& measures) {
  json all = json::array({number(point.x)});
  for (std::size_t m = 0; m < measures.size(); ++m) {
    all.emplace_back();
    if (point.values[m].empty()) continue;
    const Summary summary = summarise(point.values[m]);
    const double scale = measures[m].scale();
    const bool is_known = summary.deviation && std::isfinite(*summary.deviation);
    all.back() = {std::isfinite(summary.mean) ? number(scale * summary.mean) : json(),
                  is_known ? number(scale * *summary.deviation) : json(), point.values[m].size()};
  }
  return all;
}

// Returns the table without the measures that have no value in any row.
SeedTable measured(SeedTable table) {
  for (std::size_t m = table.measures.size(); m-- > 0;) {
    const auto at = static_cast<std::ptrdiff_t>(m);
    if (std::any_of(table.rows.begin(), table.rows.end(),
                    [m](const SeedRow& row) { return !row.values[m].empty(); }))
      continue;
    table.measures.erase(table.measures.begin() + at);
    for (SeedRow& row : table.rows) row.values.erase(row.values.begin() + at);
  }
  return table;
}

json chart_json(const AnalysisChart& chart) {
  json measures = json::array();
  for (const SeedMeasure& measure : chart.measures)
    measures.push_back({measure.column.head(), measure.digits});
  json lines = json::array();
  for (const AnalysisLine& line : chart.lines) {
    json points = json::array();
    for (const AnalysisPoint& point : line.points)
      points.push_back(point_json(point, chart.measures));
    lines.push_back({{"label", line.label}, {"points", std::move(points)}});
  }
  json data = json_table(shown(measured(table_of(chart, /*with_seeds=*/true))));
  data.update({{"kind", chart.kind},
               {"title", chart.title},
               {"benchmark", chart.spec.benchmark.name},
               {"learner", chart.spec.learner.name},
               {"policy", policy_label(chart.spec.policy)},
               {"lines_are", chart.lines_are},
               {"x", chart.x},
               {"x_title", chart.x_title},
               {"measures", std::move(measures)},
               {"drawn", chart.drawn},
               {"chance", number(chart.chance)},
               {"lines", std::move(lines)}});
  return data;
}

json analyses_json(const Report& report, const std::vector<ReportedSetting>& settings) {
  json charts = json::array();
  for (const AnalysisChart& chart : analysis_charts(report.analyses))
    charts.push_back(chart_json(chart));
  json tables = json::array();
  for (const AnalysisTable& table : analysis_tables(report.analyses, settings)) {
    json about = json::array();
    for (const Spec& spec : table.specs) {
      about.push_back({{"benchmark", spec.benchmark.name},
                       {"learner", spec.learner.name},
                       {"policy", policy_label(spec.policy)}});
    }
    tables.push_back(json_table(table.table));
    tables.back().update({{"title", table.title}, {"about", std::move(about)}});
  }
  return {{"charts", std::move(charts)}, {"tables", std::move(tables)}};
}

std::string time_text(double seconds) {
  return seconds > 0
             ? fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(static_cast<std::time_t>(seconds)))
             : "–";
}

json run_json(const ReportedRun& reported) {
  const StoredRun& run = reported.run;
  const auto spec = json::parse(run.spec, nullptr, /*allow_exceptions=*/false);
  const auto value_of = [&](const char* key) {
    return spec.is_object() ? spec.value(key, json()) : json();
  };
  json metrics = json::array();
  json parts;
  std::optional<double> accuracy = run.accuracy;
  std::optional<Prediction> prediction;
  if (reported.result) {
    accuracy = leading_metrics(*reported.result).average_accuracy();
    metrics = json_table(metrics_table(*reported.result)).at("rows");
    const Seconds& seconds = reported.result->seconds;
    parts = {number(seconds.training), number(seconds.simulation), number(seconds.evaluation)};
    prediction = prediction_of(*reported.result);
  }
  json all = {{"id", run.id},
              {"status", name_of(run.status)},
              {"benchmark", run.benchmark},
              {"learner", run.learner},
              {"policy", run.label},
              {"tasks", value_of("tasks")},
              {"memory", memory_in(spec)},
              {"stored", reported.result ? stored_text(*reported.result) : ""},
              {"seed", run.seed},
              {"accuracy", number(accuracy)},
              {"collapsed", reported.result && reported.result->has_collapsed},
              {"metrics", std::move(metrics)},
              {"seconds", number(run.seconds)},
              {"parts", std::move(parts)},
              {"finished", time_text(run.finished)},
              {"version", run.version},
              {"command", reported.command},
              {"error", run.error},
              {"has_sheet", reported.sheet.has_value()}};
  if (prediction) {
    const Expected& expected = prediction->expected;
    all["prediction"] = {number(expected.accuracy), number(expected.low), number(expected.high),
                         number(prediction->reached)};
  }
  return all;
}

// Returns JSON for the text of an HTML element: it cannot contain "</script>" or "<!--".
std::string embedded(const json& data) {
  std::string text = data.dump(-1, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace);
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at))
    text.replace(at, 1, "\\u003c");
  return text;
}

json overview_of(const Report& report, const std::vector<ReportedSetting>& reported) {
  json settings = json::array();
  for (const ReportedSetting& setting : reported) settings.push_back(setting_json(setting));
  json paper = json::array();
  for (const PaperTable& table : paper_beside(reported)) {
    paper.push_back(json_table(table.table));
    paper.back().update({{"title", table.title}, {"runs", table.runs}});
  }
  json runs = json::array();
  for (const ReportedRun& run : report.runs) runs.push_back(run_json(run));
  json metrics = json::array();
  for (const Metric& metric : metric_catalog()) {
    metrics.push_back({{"name", metric.name},
                       {"title", metric.title},
                       {"formula", metric.paper},
                       {"meaning", metric.summary},
                       {"larger_is_better", metric.larger_is_better}});
  }
  return {{"version", kVersion},       {"store", report.store},
          {"made", report.made},       {"metrics", std::move(metrics)},
          {"knobs", knobs_json()},     {"settings", std::move(settings)},
          {"runs", std::move(runs)},   {"sheets_left_out", report.sheets_left_out},
          {"paper", std::move(paper)}, {"analyses", analyses_json(report, reported)}};
}

}  // namespace

json overview_json(const Report& report) { return overview_of(report, settings_of(report)); }

Page html_page(std::string_view page, const Report& report, double room) {
  const std::vector<ReportedSetting> settings = settings_of(report);
  const PackedDetails details = packed_details(report, settings, room);
  json overview = overview_of(report, settings);
  Page made;
  for (std::size_t k = 0; k < report.runs.size(); ++k) {
    const ReportedRun& run = report.runs[k];
    if (!run.result || details.runs.contains(run.run.id)) continue;
    overview["runs"][k]["has_sheet"] = false;
    ++made.details_left_out;
  }
  overview["details_left_out"] = made.details_left_out;
  constexpr std::string_view kMark = "<!-- data -->";
  const std::size_t at = page.find(kMark);
  made.html = page.substr(0, at);
  made.html += "<script type=\"application/json\" id=\"data-overview\">";
  made.html += embedded(overview) + "</script>\n";
  made.html += "<script type=\"application/gzip\" id=\"data-details\">";
  made.html += details.text + "</script>\n";
  for (const ReportedRun& run : report.runs) {
    if (!run.sheet || !details.runs.contains(run.run.id)) continue;
    made.html += fmt::format("<script type=\"image/png\" id=\"sheet-{}\">{}</script>\n", run.run.id,
                             base64(run.sheet->png));
  }
  made.html += page.substr(at + kMark.size());
  return made;
}

}  // namespace gps
