#include "gps/report/page.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "gps/core/version.h"
#include "gps/report/curves.h"
#include "gps/report/metrics_table.h"
#include "gps/report/packing.h"
#include "gps/report/paper_beside.h"

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

json point(const Summary& summary) { return {number(summary.mean), number(summary.deviation)}; }

json curve_json(const std::vector<Summary>& curve) {
  json points = json::array();
  for (const Summary& summary : curve) points.push_back(point(summary));
  return points;
}

json ring_json(const ReportedLine& line) {
  json points = json::array();
  for (const std::optional<Summary>& summary : ring_share_curve(line.seeds))
    points.push_back(summary ? point(*summary) : json());
  return points;
}

json line_json(const ReportedLine& line) {
  Matrices own;
  Matrices among_all;
  Seconds seconds;
  json accuracies = json::array();
  for (const RunResult* result : line.seeds) {
    own.push_back(&result->accuracy);
    if (result->class_incremental) among_all.push_back(&result->class_incremental->accuracy);
    const auto n = static_cast<double>(line.seeds.size());
    seconds.training += result->seconds.training / n;
    seconds.simulation += result->seconds.simulation / n;
    seconds.evaluation += result->seconds.evaluation / n;
    accuracies.push_back({result->seed, number(result->metrics.average_accuracy)});
  }
  const Spec& spec = line.seeds.front()->spec;
  return {
      {"label", line.label},
      {"learner", spec.learner.name},
      {"policy", policy_label(spec)},
      {"runs", line.ids},
      {"accuracy", mean_json(line,
                             [](const RunResult& result) {
                               return std::optional(result.metrics.average_accuracy);
                             })},
      {"class_incremental",
       mean_json(line,
                 [](const RunResult& result) {
                   return result.class_incremental
                              ? std::optional(result.class_incremental->metrics.average_accuracy)
                              : std::nullopt;
                 })},
      {"accuracies", std::move(accuracies)},
      {"curve", curve_json(accuracy_curve(own))},
      {"forgetting", curve_json(forgetting_curve(own))},
      {"class_curve", curve_json(accuracy_curve(among_all))},
      {"class_forgetting", curve_json(forgetting_curve(among_all))},
      {"ring_share", ring_json(line)},
      {"seconds",
       {{"training", number(seconds.training)},
        {"simulation", number(seconds.simulation)},
        {"evaluation", number(seconds.evaluation)}}}};
}

json setting_json(const ReportedSetting& setting) {
  const Spec& spec = setting.comparable.results.front().spec;
  json lines = json::array();
  for (const ReportedLine& line : setting.lines) lines.push_back(line_json(line));
  return {{"title", setting.comparable.title},
          {"benchmark", spec.benchmark.name},
          {"tasks", spec.benchmark.tasks},
          {"head", setting.table.front()},
          {"rows", Table(setting.table.begin() + 1, setting.table.end())},
          {"lines", std::move(lines)}};
}

std::string time_text(double seconds) {
  return seconds > 0
             ? fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(static_cast<std::time_t>(seconds)))
             : "–";
}

json run_json(const ReportedRun& reported) {
  const StoredRun& run = reported.run;
  const auto spec = json::parse(run.spec);
  const auto text_of = [&](const char* key) {
    return spec.contains(key) ? spec.at(key).dump() : std::string("–");
  };
  json metrics = json::array();
  json parts;
  if (reported.result) {
    const Table table = metrics_table(*reported.result);
    for (std::size_t k = 1; k < table.size(); ++k) metrics.push_back(table[k]);
    const Seconds& seconds = reported.result->seconds;
    parts = {number(seconds.training), number(seconds.simulation), number(seconds.evaluation)};
  }
  return {{"id", run.id},
          {"status", name_of(run.status)},
          {"benchmark", run.benchmark},
          {"learner", run.learner},
          {"policy", run.label},
          {"tasks", text_of("tasks")},
          {"memory", text_of("memory")},
          {"seed", fmt::format("{}", run.seed)},
          {"accuracy", number(run.accuracy)},
          {"metrics", std::move(metrics)},
          {"seconds", number(run.seconds)},
          {"parts", std::move(parts)},
          {"finished", time_text(run.finished)},
          {"version", run.version},
          {"command", reported.command},
          {"error", run.error},
          {"has_sheet", reported.sheet.has_value()}};
}

json matrix_json(const AccuracyMatrix& matrix) {
  json rows = json::array();
  for (const std::vector<double>& row : matrix) {
    json cells = json::array();
    for (const double value : row) cells.push_back(std::lround(1e4 * value));
    rows.push_back(std::move(cells));
  }
  return rows;
}

// The classes of each task that the memory may hold; all, where tasks have no labels of their own.
std::vector<std::vector<Label>> labels_of(const RunResult& result) {
  if (!result.labels.empty() || result.memory.empty()) return result.labels;
  std::vector<Label> all(result.memory.front().front().ring.size());
  std::iota(all.begin(), all.end(), Label{0});
  return std::vector<std::vector<Label>>(result.memory.size(), all);
}

json decisions_json(const RunResult& result) {
  json decisions = json::array();
  for (const Decision& decision : result.decisions) {
    json probes = json::array();
    for (const Probe& probe : decision.probes) {
      probes.push_back({probe.ring_size, std::lround(1e4 * probe.accuracy),
                        std::isfinite(probe.loss) ? number(probe.loss) : json()});
    }
    decisions.push_back({{"task", decision.task},
                         {"ring", decision.ring_size},
                         {"quota", decision.quota},
                         {"probes", std::move(probes)}});
  }
  return decisions;
}

json memory_json(const RunResult& result, const std::vector<std::vector<Label>>& labels) {
  json through_time = json::array();
  for (const Composition& composition : result.memory) {
    json tasks = json::array();
    for (const TaskShare& share : composition) {
      json counts = json::array();
      for (const auto& part : {share.ring, share.reservoir}) {
        for (const Label label : labels[static_cast<std::size_t>(share.task) - 1])
          counts.push_back(part[label]);
      }
      tasks.push_back(std::move(counts));
    }
    through_time.push_back(std::move(tasks));
  }
  return through_time;
}

json sheet_json(const ContactSheet& sheet) {
  json images = json::array();
  for (const ContactSheet::Tile& tile : sheet.tiles)
    images.push_back({tile.task, tile.label, tile.is_in_ring ? 1 : 0});
  return {{"width", sheet.width},          {"height", sheet.height}, {"columns", sheet.columns},
          {"put_back", sheet.is_put_back}, {"stored", sheet.stored}, {"images", std::move(images)}};
}

// JSON that is text of an element of HTML: "</script>" and "<!--" cannot occur in it.
std::string embedded(const json& data) {
  std::string text = data.dump(-1, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace);
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at))
    text.replace(at, 1, "\\u003c");
  return text;
}

}  // namespace

json overview_json(const Report& report) {
  const std::vector<ReportedSetting> reported = settings_of(report);
  json settings = json::array();
  for (const ReportedSetting& setting : reported) settings.push_back(setting_json(setting));
  json paper = json::array();
  for (const PaperTable& table : paper_beside(reported)) {
    paper.push_back({{"title", table.title},
                     {"head", table.table.front()},
                     {"rows", Table(table.table.begin() + 1, table.table.end())},
                     {"runs", table.runs}});
  }
  json runs = json::array();
  for (const ReportedRun& run : report.runs) runs.push_back(run_json(run));
  return {{"version", kVersion},      {"store", report.store},
          {"made", report.made},      {"settings", std::move(settings)},
          {"runs", std::move(runs)},  {"sheets_left_out", report.sheets_left_out},
          {"paper", std::move(paper)}};
}

json details_json(const Report& report) {
  json all = json::object();
  for (const ReportedRun& run : report.runs) {
    if (!run.result) continue;
    const std::vector<std::vector<Label>> labels = labels_of(*run.result);
    json details = {{"accuracy", matrix_json(run.result->accuracy)},
                    {"labels", labels},
                    {"decisions", decisions_json(*run.result)},
                    {"memory", memory_json(*run.result, labels)}};
    if (run.result->class_incremental)
      details["class_accuracy"] = matrix_json(run.result->class_incremental->accuracy);
    if (run.sheet) details["sheet"] = sheet_json(*run.sheet);
    all[std::to_string(run.run.id)] = std::move(details);
  }
  return all;
}

std::string html_page(std::string_view page, const Report& report) {
  constexpr std::string_view kMark = "<!-- data -->";
  const std::size_t at = page.find(kMark);
  std::string html(page.substr(0, at));
  html += "<script type=\"application/json\" id=\"data-overview\">";
  html += embedded(overview_json(report)) + "</script>\n";
  html += "<script type=\"application/gzip\" id=\"data-details\">";
  html += base64(gzipped(details_json(report).dump())) + "</script>\n";
  for (const ReportedRun& run : report.runs) {
    if (!run.sheet) continue;
    html += fmt::format("<script type=\"image/png\" id=\"sheet-{}\">{}</script>\n", run.run.id,
                        base64(run.sheet->png));
  }
  html += page.substr(at + kMark.size());
  return html;
}

}  // namespace gps
