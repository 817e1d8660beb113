#include "gps/reproduce/verdict.h"

#include <fmt/format.h>

#include <cmath>

#include "gps/core/text.h"

namespace gps {
namespace {

struct Pairs {
  std::vector<double> before;
  std::vector<double> after;
};

Pairs pairs_of(const BySeed& before, const BySeed& after) {
  Pairs pairs;
  for (const auto& [seed, value] : after) {
    const auto at = before.find(seed);
    if (at == before.end()) continue;
    pairs.before.push_back(at->second);
    pairs.after.push_back(value);
  }
  return pairs;
}

Summary summary_of(const BySeed& values) {
  std::vector<double> all;
  for (const auto& [seed, value] : values) all.push_back(value);
  return summarise(all);
}

// "gps - reservoir: +0.58 [-0.54, +1.71] (5 seeds)"
std::string difference_between(const Named& one, const Named& other) {
  return fmt::format("{} - {}: {}{}", one.name, other.name,
                     difference_text(other.values, one.values),
                     seeds_text(common_seeds(other.values, one.values)));
}

// Half the 95 % interval of a mean of n values with this deviation.
double half_interval(double deviation, std::size_t n) {
  return n < 2 ? 0 : student_t_975(n - 1) * deviation / std::sqrt(static_cast<double>(n));
}

Verdict verdict_of(bool holds) { return holds ? Verdict::reproduced : Verdict::not_reproduced; }

constexpr std::size_t kPaperRuns = 5;

// Wide intervals do not make levels equal that are farther apart than so many tolerances.
constexpr double kFar = 2.5;

}  // namespace

std::string name_of(Verdict verdict) {
  if (verdict == Verdict::not_tried) return "not tried";
  return verdict == Verdict::reproduced ? "reproduced" : "not reproduced";
}

std::optional<PairedDifference> difference(const BySeed& before, const BySeed& after) {
  const Pairs pairs = pairs_of(before, after);
  if (pairs.before.empty()) return std::nullopt;
  return paired_difference(pairs.before, pairs.after);
}

std::size_t common_seeds(const BySeed& before, const BySeed& after) {
  return pairs_of(before, after).before.size();
}

std::string mean_text(const BySeed& values) {
  if (values.empty()) return "-";
  const Summary summary = summary_of(values);
  return summary.deviation ? fmt::format("{:.2f} ± {:.2f}", summary.mean, *summary.deviation)
                           : fmt::format("{:.2f}", summary.mean);
}

std::string difference_text(const BySeed& before, const BySeed& after) {
  const std::optional<PairedDifference> paired = difference(before, after);
  if (!paired) return "-";
  if (!paired->half_width) return fmt::format("{:+.2f}", paired->mean);
  return fmt::format("{:+.2f} [{:+.2f}, {:+.2f}]", paired->mean, paired->mean - *paired->half_width,
                     paired->mean + *paired->half_width);
}

std::string seeds_text(std::size_t seeds) {
  return fmt::format(" ({} seed{})", seeds, seeds == 1 ? "" : "s");
}

Judgement judge_above(std::string claim, const Named& high, const std::vector<Named>& low,
                      double margin) {
  Judgement judgement{
      std::move(claim),
      fmt::format("the 95 % interval of the paired difference lies above {:g}", margin),
      Verdict::not_tried,
      {}};
  if (low.empty()) {
    judgement.numbers = "there is nothing to compare with";
    return judgement;
  }
  std::vector<std::string> numbers;
  std::vector<std::string> missing;
  bool holds = true;
  for (const Named& each : low) {
    const std::optional<PairedDifference> paired = difference(each.values, high.values);
    if (!paired || !paired->half_width) {
      missing.push_back(each.name);
      continue;
    }
    numbers.push_back(difference_between(high, each));
    holds = holds && paired->mean - *paired->half_width > margin;
  }
  if (!missing.empty()) {
    numbers.push_back(
        fmt::format("fewer than two common seeds of {} and {}", high.name, join(missing)));
  }
  judgement.numbers = join(numbers, "; ");
  // What fails already fails, whatever the missing ones would say.
  if (missing.empty() || !holds) judgement.verdict = verdict_of(holds);
  return judgement;
}

Judgement judge_no_gain(std::string claim, const Named& one, const std::vector<Named>& others) {
  Judgement judgement = judge_above(std::move(claim), one, others);
  judgement.rule = "no 95 % interval of the paired differences lies above 0";
  bool has_all = !others.empty();
  bool has_gain = false;
  for (const Named& each : others) {
    const std::optional<PairedDifference> paired = difference(each.values, one.values);
    has_all = has_all && paired && paired->half_width;
    has_gain = has_gain || (paired && paired->half_width && paired->mean - *paired->half_width > 0);
  }
  judgement.verdict = has_all || has_gain ? verdict_of(!has_gain) : Verdict::not_tried;
  return judgement;
}

Judgement judge_close(std::string claim, const Named& one, const Named& other, double tolerance) {
  Judgement judgement{
      std::move(claim),
      fmt::format("the mean of the paired difference is at most {:g}, either way", tolerance),
      Verdict::not_tried, difference_between(one, other)};
  if (const std::optional<PairedDifference> paired = difference(other.values, one.values))
    judgement.verdict = verdict_of(std::abs(paired->mean) <= tolerance);
  return judgement;
}

Judgement judge_levels(std::string claim, const std::vector<NamedPrinted>& rows, double tolerance) {
  Judgement judgement{
      std::move(claim),
      fmt::format("every mean is within {:g} of the printed one, or within {:g} where their 95 % "
                  "intervals overlap",
                  tolerance, kFar * tolerance),
      Verdict::not_tried,
      {}};
  std::vector<std::string> numbers;
  bool holds = true;
  for (const NamedPrinted& row : rows) {
    if (row.ours.values.empty()) continue;
    const Summary ours = summary_of(row.ours.values);
    const double distance = std::abs(ours.mean - row.value);
    const double reach = half_interval(ours.deviation.value_or(0), row.ours.values.size()) +
                         half_interval(row.deviation.value_or(0), kPaperRuns);
    const bool fits = distance <= tolerance || (distance <= reach && distance <= kFar * tolerance);
    holds = holds && fits;
    numbers.push_back(
        fmt::format("{}{} {:+.2f}", fits ? "" : "NOT ", row.ours.name, ours.mean - row.value));
  }
  if (numbers.empty()) {
    judgement.numbers = "no run of them is there";
    return judgement;
  }
  judgement.numbers = "ours - paper: " + join(numbers, "; ");
  judgement.verdict = verdict_of(holds);
  return judgement;
}

Judgement judge_steadier(std::string claim, const Named& one, const std::vector<Named>& others) {
  Judgement judgement{std::move(claim),
                      "its standard deviation over seeds is below that of each of the others",
                      Verdict::not_tried,
                      {}};
  if (one.values.size() < 2) {
    judgement.numbers = "fewer than two seeds of " + one.name;
    return judgement;
  }
  const double own = *summary_of(one.values).deviation;
  std::vector<std::string> numbers = {fmt::format("{} {:.2f}", one.name, own)};
  bool holds = true;
  bool has_all = true;
  for (const Named& each : others) {
    if (each.values.size() < 2) {
      has_all = false;
      continue;
    }
    const double deviation = *summary_of(each.values).deviation;
    numbers.push_back(fmt::format("{} {:.2f}", each.name, deviation));
    holds = holds && own < deviation;
  }
  judgement.numbers = "standard deviations: " + join(numbers);
  if (has_all || !holds) judgement.verdict = verdict_of(holds);
  return judgement;
}

Judgement judge_between(std::string claim, const Named& row, double lowest, double highest) {
  Judgement judgement{
      std::move(claim),
      std::isinf(highest)  ? fmt::format("the mean is at least {:g}", lowest)
      : std::isinf(lowest) ? fmt::format("the mean is at most {:g}", highest)
                           : fmt::format("the mean is between {:g} and {:g}", lowest, highest),
      Verdict::not_tried,
      fmt::format("{}: {}{}", row.name, mean_text(row.values), seeds_text(row.values.size()))};
  if (!row.values.empty()) {
    const double mean = summary_of(row.values).mean;
    judgement.verdict = verdict_of(lowest <= mean && mean <= highest);
  }
  return judgement;
}

Judgement not_tried(std::string claim, std::string why) {
  return {std::move(claim), "", Verdict::not_tried, std::move(why)};
}

}  // namespace gps
