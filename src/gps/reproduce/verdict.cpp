#include "gps/reproduce/verdict.h"

#include <fmt/format.h>

#include <cmath>

#include "gps/core/text/text.h"
#include "gps/report/tables/cell.h"

namespace gps {
namespace {

Summary summary_of(const BySeed& values) { return summarise(values_of(values)); }

// Returns for example "gps - reservoir: +0.58 [-0.54, +1.71] (5 seeds)".
std::string difference_between(const Named& one, const Named& other) {
  return fmt::format("{} - {}: {}{}", one.name, other.name,
                     Cell::difference(difference(other.values, one.values)).text(),
                     seeds_text(common_seeds(other.values, one.values)));
}

// Returns half the 95 % interval of a mean of n values with this deviation; 0 for one value.
double half_interval(double deviation, std::size_t n) {
  return n < 2 ? 0 : half_width(deviation, n);
}

Verdict verdict_of(bool holds) { return holds ? Verdict::reproduced : Verdict::not_reproduced; }

Interval interval_of(const PairedDifference& paired) {
  return {paired.mean - *paired.half_width, paired.mean + *paired.half_width};
}

// Sets the verdict, or writes "cannot tell" if an interval lies neither within the claim nor
// outside of it.
void decide(Judgement& judgement, bool holds, bool fails) {
  if (holds || fails) {
    judgement.verdict = verdict_of(holds && !fails);
  } else {
    judgement.numbers = "cannot tell: " + judgement.numbers;
  }
}

// Returns whether networks of these rows are dead. If so, says it in place of numbers.
bool tells_of_dead(Judgement& judgement, const std::vector<Named>& rows) {
  std::vector<std::string> dead;
  for (const Named& row : rows) {
    if (row.collapsed > 0)
      dead.push_back(fmt::format("{} of {} of {}", row.collapsed, row.values.size(), row.name));
  }
  if (dead.empty()) return false;
  judgement.verdict = Verdict::not_tried;
  judgement.numbers = fmt::format("networks have collapsed: {}", join(dead));
  return true;
}

std::vector<Named> with(const Named& one, std::vector<Named> others) {
  others.insert(others.begin(), one);
  return others;
}

constexpr std::size_t kPaperRuns = 5;
constexpr std::size_t kLeastForVariances = 5;
constexpr double kLevel = 0.05;  // significance level of the tests

// Levels that differ by more than this many tolerances are never equal, however wide the intervals
// are.
constexpr double kFar = 2.5;

}  // namespace

std::string name_of(Verdict verdict) {
  if (verdict == Verdict::not_tried) return "not tried";
  return verdict == Verdict::reproduced ? "reproduced" : "not reproduced";
}

std::string name_of(Origin origin) {
  if (origin == Origin::other_stream) return "other stream";
  if (origin == Origin::other_reading) return "other reading";
  return origin == Origin::paper ? "paper" : "ours";
}

Judgement as(Origin origin, Judgement judgement) {
  judgement.origin = origin;
  return judgement;
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
  if (tells_of_dead(judgement, with(high, low))) return judgement;
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
  // One failure is enough; missing rows cannot change it.
  if (missing.empty() || !holds) judgement.verdict = verdict_of(holds);
  return judgement;
}

Judgement judge_no_gain(std::string claim, const Named& one, const std::vector<Named>& others,
                        double margin) {
  Judgement judgement = judge_above(std::move(claim), one, others);  // for its numbers
  judgement.verdict = Verdict::not_tried;
  judgement.rule = fmt::format(
      "every 95 % interval of the paired differences ends below {:g}, and none lies above 0",
      margin);
  if (tells_of_dead(judgement, with(one, others))) return judgement;
  bool has_all = !others.empty();
  bool holds = true;
  bool fails = false;
  for (const Named& each : others) {
    const std::optional<PairedDifference> paired = difference(each.values, one.values);
    if (!paired || !paired->half_width) {
      has_all = false;
      continue;
    }
    const Interval interval = interval_of(*paired);
    holds = holds && interval.high < margin;
    fails = fails || interval.low > 0;
  }
  if (has_all || fails) decide(judgement, holds, fails);
  return judgement;
}

Judgement judge_close(std::string claim, const Named& one, const Named& other, double tolerance) {
  Judgement judgement{
      std::move(claim),
      fmt::format("the 95 % interval of the paired difference lies within ± {:g}", tolerance),
      Verdict::not_tried, difference_between(one, other)};
  if (tells_of_dead(judgement, {one, other})) return judgement;
  const std::optional<PairedDifference> paired = difference(other.values, one.values);
  if (!paired || !paired->half_width) return judgement;
  const Interval interval = interval_of(*paired);
  decide(judgement, interval.low >= -tolerance && interval.high <= tolerance,
         interval.high < -tolerance || interval.low > tolerance);
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
  std::vector<Named> all;
  for (const NamedPrinted& row : rows) all.push_back(row.ours);
  if (tells_of_dead(judgement, all)) return judgement;
  std::vector<std::string> numbers;
  std::vector<std::string> missing;
  bool holds = true;
  for (const NamedPrinted& row : rows) {
    const std::size_t seeds = row.ours.values.size();
    if (seeds < 2) {
      missing.push_back(row.ours.name);
      continue;
    }
    const Summary ours = summary_of(row.ours.values);
    const double distance = std::abs(ours.mean - row.value);
    const double reach = half_interval(ours.deviation.value_or(0), seeds) +
                         half_interval(row.deviation.value_or(0), kPaperRuns);
    const bool fits = distance <= tolerance || (distance <= reach && distance <= kFar * tolerance);
    holds = holds && fits;
    numbers.push_back(fmt::format("{}{} {:+.2f}{}", fits ? "" : "NOT ", row.ours.name,
                                  ours.mean - row.value, seeds_text(seeds)));
  }
  if (!numbers.empty()) judgement.numbers = "ours - paper: " + join(numbers, "; ");
  if (!missing.empty()) {
    judgement.numbers +=
        (numbers.empty() ? "" : "; ") + fmt::format("fewer than two seeds of {}", join(missing));
  }
  if (rows.empty()) judgement.numbers = "there are no runs of them";
  // One failure is enough; missing rows cannot change it.
  if (!numbers.empty() && (missing.empty() || !holds)) judgement.verdict = verdict_of(holds);
  return judgement;
}

Judgement judge_steadier(std::string claim, const Named& one, const std::vector<Named>& others) {
  Judgement judgement{
      std::move(claim),
      fmt::format("its variance over at least {} seeds is below that of each of the others by an "
                  "F test at {:g} %",
                  kLeastForVariances, 100 * kLevel),
      Verdict::not_tried,
      {}};
  if (tells_of_dead(judgement, with(one, others))) return judgement;
  std::vector<std::string> numbers;
  std::vector<std::string> missing;
  const auto has_enough = [&](const Named& row) {
    if (row.values.size() < kLeastForVariances) {
      missing.push_back(row.name);
      return false;
    }
    return true;
  };
  const auto deviation_of = [&](const Named& row) {
    const double deviation = *summary_of(row.values).deviation;
    numbers.push_back(
        fmt::format("{} {:.2f}{}", row.name, deviation, seeds_text(row.values.size())));
    return deviation;
  };
  bool holds = !others.empty();
  bool fails = false;
  if (has_enough(one)) {
    const double own = deviation_of(one);
    const std::size_t degrees = one.values.size() - 1;
    for (const Named& each : others) {
      if (!has_enough(each)) continue;
      const double other = deviation_of(each);
      const std::size_t others_degrees = each.values.size() - 1;
      const bool is_above =
          other > own && f_above(std::pow(other / own, 2), others_degrees, degrees) < kLevel;
      const bool is_below =
          own > other && f_above(std::pow(own / other, 2), degrees, others_degrees) < kLevel;
      holds = holds && is_above;
      fails = fails || is_below;
    }
  }
  if (!numbers.empty()) judgement.numbers = "standard deviations: " + join(numbers);
  if (!missing.empty()) {
    judgement.numbers += fmt::format("{}fewer than {} seeds of {}", numbers.empty() ? "" : "; ",
                                     kLeastForVariances, join(missing));
  }
  if (missing.empty() || fails) decide(judgement, holds, fails);
  return judgement;
}

Judgement judge_between(std::string claim, const Named& row, double lowest, double highest) {
  const std::string of_mean = "the 95 % interval of the mean ";
  Judgement judgement{
      std::move(claim),
      of_mean + (std::isinf(highest)  ? fmt::format("lies above {:g}", lowest)
                 : std::isinf(lowest) ? fmt::format("lies below {:g}", highest)
                                      : fmt::format("lies between {:g} and {:g}", lowest, highest)),
      Verdict::not_tried,
      fmt::format("{}: {}{}", row.name, Cell::mean(row.values).text(),
                  seeds_text(row.values.size()))};
  if (tells_of_dead(judgement, {row})) return judgement;
  if (row.values.size() < 2) return judgement;
  const Summary summary = summary_of(row.values);
  const double half = half_interval(*summary.deviation, row.values.size());
  const Interval interval{summary.mean - half, summary.mean + half};
  judgement.numbers = fmt::format("{}: {:.2f} [{:.2f}, {:.2f}]{}", row.name, summary.mean,
                                  interval.low, interval.high, seeds_text(row.values.size()));
  decide(judgement, lowest <= interval.low && interval.high <= highest,
         interval.high < lowest || interval.low > highest);
  return judgement;
}

Judgement not_tried(std::string claim, std::string why) {
  return {std::move(claim), "", Verdict::not_tried, std::move(why)};
}

}  // namespace gps
