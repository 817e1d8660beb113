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

std::vector<Group> group(const std::vector<RunResult>& results) {
  const bool with_learner = has_several_learners(results);
  std::vector<Group> groups;
  for (const RunResult& result : results) {
    const std::string label = run_label(result.spec, with_learner);
    auto at = std::find_if(groups.begin(), groups.end(),
                           [&](const Group& g) { return g.label == label; });
    if (at == groups.end()) at = groups.insert(groups.end(), {label, {}});
    at->by_seed[result.seed] = &result;
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

// How wide a text shows: bytes that start a UTF-8 character.
std::size_t shown_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
  }));
}

std::string lay_out(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], shown_width(row[c]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      line += row[c];
      if (c + 1 < row.size()) line.append(widths[c] - shown_width(row[c]) + 3, ' ');
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::string comparison_table(const std::vector<RunResult>& results) {
  const std::vector<Group> groups = group(results);
  const bool by_learner = results.front().spec.policy == "none" || has_several_learners(results);
  std::vector<std::string> head = {by_learner ? "learner" : "policy", "accuracy %"};
  if (groups.size() > 1) head.push_back("vs " + groups.front().label);
  const bool is_split = results.front().class_incremental.has_value();
  if (is_split) head.emplace_back("class-incremental %");
  head.insert(head.end(), {"learning", "forgetting", "time a run"});
  std::vector<std::vector<std::string>> rows = {head};
  for (const Group& g : groups) {
    std::vector<std::string> row = {g.label, column(g, [](const RunResult& r) {
                                      return std::optional(r.metrics.average_accuracy);
                                    })};
    if (groups.size() > 1)
      row.push_back(&g == &groups.front() ? "" : difference(groups.front(), g));
    if (is_split) row.push_back(column(g, class_incremental_accuracy));
    row.push_back(column(g, [](const RunResult& r) { return r.metrics.learning_accuracy; }));
    row.push_back(column(g, [](const RunResult& r) { return r.metrics.forgetting; }));
    row.push_back(seconds_per_run(g));
    rows.push_back(std::move(row));
  }
  return lay_out(rows);
}

}  // namespace gps
