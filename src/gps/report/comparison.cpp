#include "gps/report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

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

// One column: the metric in percent, over seeds.
template <typename Metric>
std::string column(const Group& group, const Metric& metric) {
  std::vector<double> values;
  for (const auto& [seed, result] : group.by_seed) {
    const std::optional<double> value = metric(*result);
    if (!value) return "-";
    values.push_back(100 * *value);
  }
  const Summary summary = summarise(values);
  return summary.deviation ? fmt::format("{:.2f} ± {:.2f}", summary.mean, *summary.deviation)
                           : fmt::format("{:.2f}", summary.mean);
}

std::optional<double> class_incremental_accuracy(const RunResult& result) {
  if (!result.class_incremental) return std::nullopt;
  return result.class_incremental->metrics.average_accuracy;
}

std::string difference(const Group& first, const Group& other) {
  std::vector<double> before;
  std::vector<double> after;
  for (const auto& [seed, result] : other.by_seed) {
    const auto at = first.by_seed.find(seed);
    if (at == first.by_seed.end()) continue;
    before.push_back(100 * at->second->metrics.average_accuracy);
    after.push_back(100 * result->metrics.average_accuracy);
  }
  if (before.empty()) return "-";
  const PairedDifference paired = paired_difference(before, after);
  if (!paired.half_width) return fmt::format("{:+.2f}", paired.mean);
  return fmt::format("{:+.2f} [{:+.2f}, {:+.2f}]", paired.mean, paired.mean - *paired.half_width,
                     paired.mean + *paired.half_width);
}

std::string seconds_per_run(const Group& group) {
  double total = 0;
  for (const auto& [seed, result] : group.by_seed) {
    total += result->seconds.training + result->seconds.simulation + result->seconds.evaluation;
  }
  return fmt::format("{:.1f} s", total / static_cast<double>(group.by_seed.size()));
}

}  // namespace

Table compare(const std::vector<RunResult>& results, const std::vector<std::string>& labels,
              bool with_seeds) {
  const std::vector<Group> groups = group(results, labels);
  const bool by_learner = results.front().spec.policy == "none" || has_several_learners(results);
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
    row.push_back(
        column(g, [](const RunResult& r) { return std::optional(r.metrics.average_accuracy); }));
    if (groups.size() > 1)
      row.push_back(&g == &groups.front() ? "" : difference(groups.front(), g));
    if (is_split) row.push_back(column(g, class_incremental_accuracy));
    row.push_back(column(g, [](const RunResult& r) { return r.metrics.learning_accuracy; }));
    row.push_back(column(g, [](const RunResult& r) { return r.metrics.forgetting; }));
    row.push_back(seconds_per_run(g));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string comparison_table(const std::vector<RunResult>& results) {
  std::vector<std::string> labels;
  for (const RunResult& result : results)
    labels.push_back(run_label(result.spec, has_several_learners(results)));
  return text_table(compare(results, labels, /*with_seeds=*/false));
}

}  // namespace gps
