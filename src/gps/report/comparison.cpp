#include "gps/report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "gps/report/statistics.h"

namespace gps {
namespace {

struct Group {
  std::string label;
  std::map<std::uint64_t, const RunResult*> by_seed;
};

bool has_several_learners(const std::vector<RunResult>& results) {
  return std::any_of(results.begin(), results.end(), [&](const RunResult& result) {
    return result.spec.learner.name != results.front().spec.learner.name;
  });
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

// The metric times `scale`, over seeds; none unless all of them have it.
template <typename Metric>
std::optional<Summary> summary_of(const Group& group, const Metric& metric, double scale) {
  std::vector<double> values;
  for (const auto& [seed, result] : group.by_seed) {
    const std::optional<double> value = metric(*result);
    if (!value) return std::nullopt;
    values.push_back(scale * *value);
  }
  return summarise(values);
}

// One column, in percent.
template <typename Metric>
std::string column(const Group& group, const Metric& metric) {
  const std::optional<Summary> summary = summary_of(group, metric, 100);
  if (!summary) return "-";
  return summary->deviation ? fmt::format("{:.2f} ± {:.2f}", summary->mean, *summary->deviation)
                            : fmt::format("{:.2f}", summary->mean);
}

nlohmann::json as_json(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

template <typename Metric>
nlohmann::json summary_as_json(const Group& group, const Metric& metric) {
  const std::optional<Summary> summary = summary_of(group, metric, 1);
  if (!summary) return nullptr;
  return {{"mean", summary->mean}, {"deviation", as_json(summary->deviation)}};
}

std::optional<double> average_accuracy(const RunResult& result) {
  return result.metrics.average_accuracy;
}
std::optional<double> learning_accuracy(const RunResult& result) {
  return result.metrics.learning_accuracy;
}
std::optional<double> forgetting(const RunResult& result) { return result.metrics.forgetting; }

std::optional<double> class_incremental_accuracy(const RunResult& result) {
  if (!result.class_incremental) return std::nullopt;
  return result.class_incremental->metrics.average_accuracy;
}

// Accuracies times `scale` of the seeds that both have.
struct Pairs {
  std::vector<double> before;
  std::vector<double> after;
};

Pairs pairs_of(const Group& first, const Group& other, double scale) {
  Pairs pairs;
  for (const auto& [seed, result] : other.by_seed) {
    const auto at = first.by_seed.find(seed);
    if (at == first.by_seed.end()) continue;
    pairs.before.push_back(scale * at->second->metrics.average_accuracy);
    pairs.after.push_back(scale * result->metrics.average_accuracy);
  }
  return pairs;
}

nlohmann::json difference_as_json(const Group& first, const Group& other) {
  const auto [before, after] = pairs_of(first, other, 1);
  if (before.empty()) return nullptr;
  const PairedDifference paired = paired_difference(before, after);
  return {
      {"seeds", before.size()}, {"mean", paired.mean}, {"half_width", as_json(paired.half_width)}};
}

std::string difference(const Group& first, const Group& other) {
  const auto [before, after] = pairs_of(first, other, 100);
  if (before.empty()) return "-";
  const PairedDifference paired = paired_difference(before, after);
  if (!paired.half_width) return fmt::format("{:+.2f}", paired.mean);
  return fmt::format("{:+.2f} [{:+.2f}, {:+.2f}]", paired.mean, paired.mean - *paired.half_width,
                     paired.mean + *paired.half_width);
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
              bool with_seeds) {
  const std::vector<Group> groups = group(results, labels);
  const bool by_learner =
      results.front().spec.policy.name == "none" || has_several_learners(results);
  std::vector<std::string> head = {by_learner ? "learner" : "policy"};
  if (with_seeds) head.emplace_back("seeds");
  head.emplace_back("accuracy %");
  if (groups.size() > 1) head.push_back("vs " + groups.front().label);
  const bool is_split = results.front().class_incremental.has_value();
  if (is_split) head.emplace_back("class-incremental %");
  head.insert(head.end(), {"learning", "forgetting", "time a run"});
  Table rows = {head};
  for (const Group& g : groups) {
    std::vector<std::string> row = {g.label};
    if (with_seeds) row.push_back(fmt::format("{}", g.by_seed.size()));
    row.push_back(column(g, average_accuracy));
    if (groups.size() > 1)
      row.push_back(&g == &groups.front() ? "" : difference(groups.front(), g));
    if (is_split) row.push_back(column(g, class_incremental_accuracy));
    row.push_back(column(g, learning_accuracy));
    row.push_back(column(g, forgetting));
    row.push_back(fmt::format("{:.1f} s", seconds_per_run(g)));
    rows.push_back(std::move(row));
  }
  return rows;
}

nlohmann::json compare_as_json(const std::vector<RunResult>& results,
                               const std::vector<std::string>& labels) {
  const std::vector<Group> groups = group(results, labels);
  nlohmann::json all = nlohmann::json::array();
  for (const Group& g : groups) {
    std::vector<std::uint64_t> seeds;
    for (const auto& [seed, result] : g.by_seed) seeds.push_back(seed);
    const bool is_first = &g == &groups.front();
    all.push_back(
        {{"label", g.label},
         {"seeds", seeds},
         {"average_accuracy", summary_as_json(g, average_accuracy)},
         {"difference", is_first ? nlohmann::json() : difference_as_json(groups.front(), g)},
         {"class_incremental_accuracy", summary_as_json(g, class_incremental_accuracy)},
         {"learning_accuracy", summary_as_json(g, learning_accuracy)},
         {"forgetting", summary_as_json(g, forgetting)},
         {"seconds", seconds_per_run(g)}});
  }
  return all;
}

std::string comparison_table(const std::vector<RunResult>& results) {
  std::vector<std::string> labels;
  for (const RunResult& result : results)
    labels.push_back(run_label(result.spec, has_several_learners(results)));
  return text_table(compare(results, labels, /*with_seeds=*/false));
}

}  // namespace gps
