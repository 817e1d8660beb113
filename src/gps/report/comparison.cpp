#include "gps/report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "gps/core/statistics.h"
#include "gps/experiments/leading.h"

namespace gps {
namespace {

struct Group {
  std::string label;
  std::map<std::uint64_t, const RunResult*> by_seed;
};

// Runs whose learner is planned do not count.
bool has_several_learners(const std::vector<RunResult>& results) {
  std::set<std::string> learners;
  for (const RunResult& result : results) {
    if (!is_planned(result.spec, "learner")) learners.insert(result.spec.learner.name);
  }
  return learners.size() > 1;
}

std::vector<Group> group(const std::vector<RunResult>& results,
                         const std::vector<std::string>& labels) {
  std::vector<Group> groups;
  for (std::size_t k = 0; k < results.size(); ++k) {
    auto at = std::find_if(groups.begin(), groups.end(),
                           [&](const Group& g) { return g.label == labels[k]; });
    if (at == groups.end()) at = groups.insert(groups.end(), {labels[k], {}});
    at->by_seed[results[k].seed] = &results[k];
  }
  return groups;
}

// Returns the group that the others are compared with, or null.
const Group* base_of(const std::vector<Group>& groups, const std::string& baseline) {
  if (baseline.empty()) return &groups.front();
  const auto at = std::find_if(groups.begin(), groups.end(),
                               [&](const Group& g) { return g.label == baseline; });
  return at == groups.end() ? nullptr : &*at;
}

using ValueOf = std::function<std::optional<double>(const RunResult&)>;

ValueOf value_of(const Metric& metric) {
  return [&metric](const RunResult& result) { return result.metrics[metric.name]; };
}

// The same of the metrics that come first.
ValueOf leading_value_of(const Metric& metric) {
  return [&metric](const RunResult& result) { return leading_metrics(result)[metric.name]; };
}

std::optional<double> class_incremental_accuracy(const RunResult& result) {
  if (!result.class_incremental) return std::nullopt;
  return result.class_incremental->metrics.average_accuracy();
}

// Returns the metrics that have a column, except the first, which has its own place.
std::vector<const Metric*> further_metrics() {
  std::vector<const Metric*> all;
  for (const Metric& metric : metric_catalog()) {
    if (!metric.column.empty() && &metric != &metric_catalog().front()) all.push_back(&metric);
  }
  return all;
}

// Returns the value times `scale`, by seed; nothing unless all results have the value.
BySeed by_seed(const Group& group, const ValueOf& value_of, double scale) {
  BySeed values;
  for (const auto& [seed, result] : group.by_seed) {
    const std::optional<double> value = value_of(*result);
    if (!value) return {};
    values[seed] = scale * *value;
  }
  return values;
}

Cell percent(const Group& group, const ValueOf& value_of) {
  return Cell::mean(by_seed(group, value_of, 100));
}

// Returns the seeds whose network is dead.
std::vector<std::uint64_t> collapsed_seeds(const Group& group) {
  std::vector<std::uint64_t> seeds;
  for (const auto& [seed, result] : group.by_seed) {
    if (result->has_collapsed) seeds.push_back(seed);
  }
  return seeds;
}

// Returns the difference to the first group. A dead network says nothing about a policy, and the
// seeds that survived are a biased choice: there is no difference if any network of either group is
// dead.
std::optional<PairedDifference> difference_to(const Group& first, const Group& group,
                                              const ValueOf& value_of, double scale) {
  if (!collapsed_seeds(first).empty() || !collapsed_seeds(group).empty()) return std::nullopt;
  return difference(by_seed(first, value_of, scale), by_seed(group, value_of, scale));
}

nlohmann::json as_json(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

nlohmann::json summary_as_json(const Group& group, const ValueOf& value_of) {
  const BySeed values = by_seed(group, value_of, 1);
  if (values.empty()) return nullptr;
  const Summary summary = summarise(values_of(values));
  return {{"mean", summary.mean}, {"deviation", as_json(summary.deviation)}};
}

nlohmann::json difference_as_json(const Group& first, const Group& group, const ValueOf& value_of) {
  const std::optional<PairedDifference> paired = difference_to(first, group, value_of, 1);
  if (!paired) return nullptr;
  return {{"seeds", common_seeds(by_seed(first, value_of, 1), by_seed(group, value_of, 1))},
          {"mean", paired->mean},
          {"half_width", as_json(paired->half_width)}};
}

double seconds_per_run(const Group& group) {
  double total = 0;
  for (const auto& [seed, result] : group.by_seed) {
    total += result->seconds.training + result->seconds.simulation + result->seconds.evaluation;
  }
  return total / static_cast<double>(group.by_seed.size());
}

}  // namespace

Table compare(const std::vector<RunResult>& results, const std::vector<std::string>& labels,
              bool with_seeds, const std::string& baseline) {
  const std::vector<Group> groups = group(results, labels);
  const Group* const base = groups.size() > 1 ? base_of(groups, baseline) : nullptr;
  const bool by_learner =
      results.front().spec.policy.name == "none" || has_several_learners(results);
  const Metric& first = metric_catalog().front();
  const bool is_split = is_led_by_all_classes(results.front());
  Table table = {by_learner ? "learner" : "policy"};
  if (with_seeds) table.columns.emplace_back("seeds");
  table.columns.emplace_back(is_split ? "all classes %" : first.column);
  if (base != nullptr) table.columns.emplace_back("vs " + base->label);
  if (is_split) table.columns.emplace_back("own classes", "%");
  for (const Metric* metric : further_metrics()) table.columns.emplace_back(metric->column);
  table.columns.emplace_back("time a run");
  for (const Group& g : groups) {
    Row row = {collapsed_seeds(g).empty() ? g.label : g.label + " !"};
    if (with_seeds) row.push_back(Cell::count(g.by_seed.size()));
    const ValueOf leading = leading_value_of(first);
    row.push_back(percent(g, leading));
    if (base != nullptr) {
      row.push_back(&g == base ? Cell::nothing()
                               : Cell::difference(difference_to(*base, g, leading, 100)));
    }
    if (is_split) row.push_back(percent(g, value_of(first)));
    for (const Metric* metric : further_metrics())
      row.push_back(percent(g, leading_value_of(*metric)));
    row.push_back(Cell::seconds(seconds_per_run(g)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

nlohmann::json compare_as_json(const std::vector<RunResult>& results,
                               const std::vector<std::string>& labels,
                               const std::string& baseline) {
  const std::vector<Group> groups = group(results, labels);
  const Group* const base = base_of(groups, baseline);
  const Metric& first = metric_catalog().front();
  nlohmann::json all = nlohmann::json::array();
  for (const Group& g : groups) {
    std::vector<std::uint64_t> seeds;
    for (const auto& [seed, result] : g.by_seed) seeds.push_back(seed);
    nlohmann::json line = {
        {"label", g.label},
        {"seeds", seeds},
        {first.name, summary_as_json(g, value_of(first))},
        {"difference", nullptr},
        {"class_incremental_accuracy", summary_as_json(g, class_incremental_accuracy)},
        {"class_incremental_difference", nullptr},
        {"seconds", seconds_per_run(g)}};
    if (base != nullptr && &g != base) {
      line["difference"] = difference_as_json(*base, g, value_of(first));
      line["class_incremental_difference"] =
          difference_as_json(*base, g, class_incremental_accuracy);
    }
    const std::vector<std::uint64_t> collapsed = collapsed_seeds(g);
    if (!collapsed.empty()) line["collapsed"] = collapsed;
    for (const Metric* metric : further_metrics())
      line[metric->name] = summary_as_json(g, value_of(*metric));
    all.push_back(std::move(line));
  }
  return all;
}

std::string collapsed_note(const std::vector<RunResult>& results) {
  const auto count = std::count_if(results.begin(), results.end(),
                                   [](const RunResult& result) { return result.has_collapsed; });
  if (count == 0) return "";
  return fmt::format(
      "! {} of {} runs collapsed: their networks are dead, so these accuracies are not results and "
      "are not compared",
      count, results.size());
}

std::string among_note(const std::vector<RunResult>& results) {
  if (!is_led_by_all_classes(results.front())) return "";
  return "accuracies, differences and forgetting are among all classes, as gpscl predict answers; "
         "own classes: among the classes of each task";
}

std::string notes_below(const std::vector<RunResult>& results) {
  std::string text;
  for (const std::string& note : {among_note(results), collapsed_note(results)}) {
    if (!note.empty()) text += note + "\n";
  }
  return text;
}

std::string comparison_table(const std::vector<RunResult>& results) {
  std::vector<std::string> labels;
  for (const RunResult& result : results)
    labels.push_back(run_label(result.spec, has_several_learners(results)));
  return text_table(compare(results, labels, /*with_seeds=*/false)) + notes_below(results);
}

}  // namespace gps
