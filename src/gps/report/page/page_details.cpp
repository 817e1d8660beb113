#include "gps/report/page/page_details.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "gps/experiments/leading.h"
#include "gps/experiments/prediction.h"
#include "gps/report/charts/curves.h"
#include "gps/report/page/packing.h"
#include "gps/report/planned.h"

namespace gps {
namespace {

using nlohmann::json;

json matrix_json(const AccuracyMatrix& matrix) {
  json rows = json::array();
  for (const std::vector<double>& row : matrix) {
    json cells = json::array();
    for (const double value : row) cells.push_back(std::lround(1e4 * value));
    rows.push_back(std::move(cells));
  }
  return rows;
}

// Returns the classes of each task that the memory may hold: all classes, if tasks have no labels
// of their own.
std::vector<std::vector<Label>> labels_of(const RunResult& result) {
  if (!result.labels.empty() || result.memory.empty()) return result.labels;
  std::vector<Label> all(result.memory.front().front().ring.size());
  std::iota(all.begin(), all.end(), Label{0});
  return std::vector<std::vector<Label>>(result.memory.size(), all);
}

// Returns one number per knob, in the order of plan_knobs().
json plan_json(const Plan& plan) {
  json values = json::array();
  for (const PlanKnob& knob : plan_knobs()) values.push_back(plan.*knob.value);
  return values;
}

json decisions_json(const RunResult& result) {
  json decisions = json::array();
  for (const Decision& decision : result.decisions) {
    json probes = json::array();
    for (const Trial& trial : decision.trials) {
      const double loss = trial.outcome.loss;
      probes.push_back({plan_json(trial.plan), std::lround(1e4 * trial.outcome.accuracy),
                        std::isfinite(loss) ? json(std::round(1e6 * loss) / 1e6) : json()});
    }
    decisions.push_back({{"task", decision.task},
                         {"plan", plan_json(decision.plan)},
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

json expected_json(const Expected& expected) {
  return {std::lround(1e4 * expected.accuracy), std::lround(1e4 * expected.low),
          std::lround(1e4 * expected.high)};
}

// Returns [label, accuracy, tried to the end, chosen] of each candidate, the best first.
json trials_json(const RecipeChoice& choice) {
  json trials = json::array();
  for (const RecipeTrial& trial : choice.trials) {
    trials.push_back({label_of(trial.recipe), std::lround(1e4 * trial.score),
                      trial.is_complete ? 1 : 0, trial.recipe == choice.recipe ? 1 : 0});
  }
  return trials;
}

// Returns the plan as `gpscl runs show` prints it, and the candidates for charts.
json planned_json(const RunResult& result) {
  json choices = json::array();
  for (const RecipeChoice& choice : result.plan.choices) {
    choices.push_back({{"task", choice.task}, {"trials", trials_json(choice)}});
    if (choice.expected) choices.back()["expected"] = expected_json(*choice.expected);
  }
  json plan = json_table(plan_table(result));
  plan.update({{"text", prediction_text(result)},
               {"reached", std::lround(1e4 * planned_for(result))},
               {"choices", std::move(choices)}});
  return plan;
}

json sheet_json(const ContactSheet& sheet) {
  json images = json::array();
  for (const ContactSheet::Tile& tile : sheet.tiles)
    images.push_back({tile.task, tile.label, tile.is_in_ring ? 1 : 0});
  return {{"width", sheet.width},          {"height", sheet.height}, {"columns", sheet.columns},
          {"put_back", sheet.is_put_back}, {"stored", sheet.stored}, {"images", std::move(images)}};
}

// Returns one run of each spec, that with the lowest seed, the latest specs first; then the second
// of each, and so on.
std::vector<const ReportedRun*> in_turn(const Report& report) {
  std::map<std::string, std::map<std::uint64_t, const ReportedRun*>> by_spec;
  for (const ReportedRun& run : report.runs) {
    if (run.result) by_spec[run.run.spec].emplace(run.run.seed, &run);
  }
  std::vector<std::pair<std::size_t, const ReportedRun*>> ranked;
  for (const auto& [spec, by_seed] : by_spec) {
    std::size_t rank = 0;
    for (const auto& [seed, run] : by_seed) ranked.emplace_back(rank++, run);
  }
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second->run.id > b.second->run.id;
  });
  std::vector<const ReportedRun*> order;
  for (const auto& [rank, run] : ranked) order.push_back(run);
  return order;
}

}  // namespace

json details_json(const ReportedRun& run) {
  const std::vector<std::vector<Label>> labels = labels_of(*run.result);
  json details = {{"accuracy", matrix_json(leading_accuracy(*run.result))},
                  {"labels", labels},
                  {"decisions", decisions_json(*run.result)},
                  {"memory", memory_json(*run.result, labels)}};
  if (!run.result->class_names.empty()) details["class_names"] = run.result->class_names;
  if (is_led_by_all_classes(*run.result))
    details["own_accuracy"] = matrix_json(run.result->accuracy);
  if (!run.result->plan.is_empty()) details["plan"] = planned_json(*run.result);
  if (!run.result->warnings.empty()) details["warnings"] = run.result->warnings;
  if (run.sheet) details["sheet"] = sheet_json(*run.sheet);
  return details;
}

PackedDetails packed_details(const Report& report, const std::vector<ReportedSetting>& settings,
                             double room) {
  Gzip gzip;
  const auto is_full = [&] { return static_cast<double>(gzip.size()) * 4 / 3 >= room; };
  PackedDetails details;
  std::set<std::int64_t> with_matrix;
  gzip.add("{\"matrices\":{");
  for (const ReportedSetting& setting : settings) {
    for (const ReportedLine& line : setting.lines) {
      const bool is_single = line.seeds.size() < 2;  // a single run has its own matrix
      if (is_single || is_full() || !with_matrix.insert(line.ids.front()).second) continue;
      Matrices all;
      for (const RunResult* result : line.seeds) all.push_back(&leading_accuracy(*result));
      gzip.add(fmt::format("{}\"{}\":{}", with_matrix.size() > 1 ? "," : "", line.ids.front(),
                           matrix_json(mean_matrix(all)).dump()));
    }
  }
  gzip.add("},\"runs\":{");
  for (const ReportedRun* run : in_turn(report)) {
    if (is_full()) break;
    gzip.add(fmt::format("{}\"{}\":{}", details.runs.empty() ? "" : ",", run->run.id,
                         details_json(*run).dump()));
    details.runs.insert(run->run.id);
  }
  gzip.add("}}");
  details.text = base64(gzip.finish());
  return details;
}

}  // namespace gps
