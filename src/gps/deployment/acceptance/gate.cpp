#include "gps/deployment/acceptance/gate.h"

#include <fmt/format.h>

#include <cmath>

#include "gps/deployment/learn.h"

namespace gps {
namespace {

// Returns the 95 % interval of how much a share fell, on so many images before and after.
Interval interval_of_fall(double before, double now, std::size_t images) {
  const Interval first = wilson(before, images);
  const Interval second = wilson(now, images);
  const double fall = before - now;
  return {fall - std::hypot(before - first.low, second.high - now),
          fall + std::hypot(first.high - before, now - second.low)};
}

JudgedLimit judged_accuracy(double limit, bool is_strict, const GateEvidence& evidence) {
  JudgedLimit judged{.limit = limit, .value = evidence.accuracy, .images = evidence.images};
  judged.interval = wilson(evidence.accuracy, evidence.images);
  judged.is_met = (is_strict ? judged.value : judged.interval.high) >= limit;
  return judged;
}

JudgedLimit judged_forgetting(double limit, bool is_strict, const GateEvidence& evidence) {
  JudgedLimit judged{
      .limit = limit, .value = evidence.before - evidence.now, .images = evidence.earlier_images};
  judged.interval = interval_of_fall(evidence.before, evidence.now, evidence.earlier_images);
  // Shares that were subtracted are a rounding error away from the limit that they meet.
  constexpr double kRounding = 1e-12;
  judged.is_met = (is_strict ? judged.value : judged.interval.low) <= limit + kRounding;
  return judged;
}

}  // namespace

GateEvidence held_out_evidence(const LearnReport& report) {
  GateEvidence evidence{.has_version_before = report.task > 1};
  for (const TaskStanding& score : report.scores) {
    const auto images = static_cast<double>(score.examples);
    evidence.images += score.examples;
    evidence.accuracy += images * score.now.among_all;
    if (score.task == report.task || !score.before) continue;
    evidence.earlier_images += score.examples;
    evidence.before += images * score.before->among_all;
    evidence.now += images * score.now.among_all;
  }
  if (evidence.images > 0) evidence.accuracy /= static_cast<double>(evidence.images);
  if (evidence.earlier_images > 0) {
    evidence.before /= static_cast<double>(evidence.earlier_images);
    evidence.now /= static_cast<double>(evidence.earlier_images);
  }
  return evidence;
}

GateVerdict judge(const Gate& gate, const GateEvidence& evidence) {
  GateVerdict verdict;
  if (gate.least_accuracy && evidence.images == 0) {
    verdict.problems.emplace_back("no test image is there to judge the accuracy");
  } else if (gate.least_accuracy) {
    const JudgedLimit judged = judged_accuracy(*gate.least_accuracy, gate.is_strict, evidence);
    verdict.accuracy = judged;
    if (!judged.is_met) {
      verdict.problems.push_back(
          fmt::format("accuracy on {} test images is {:.1f} % [{:.1f}, {:.1f}], below the required "
                      "{:.1f} %",
                      judged.images, 100 * judged.value, 100 * judged.interval.low,
                      100 * judged.interval.high, 100 * judged.limit));
    }
  }
  if (!gate.most_forgetting || !evidence.has_version_before) return verdict;
  if (evidence.earlier_images == 0) {
    verdict.problems.emplace_back("no test image of earlier tasks is there to judge forgetting");
    return verdict;
  }
  const JudgedLimit judged = judged_forgetting(*gate.most_forgetting, gate.is_strict, evidence);
  verdict.forgetting = judged;
  if (!judged.is_met) {
    verdict.problems.push_back(
        fmt::format("accuracy on {} test images of earlier tasks fell by {:.1f} points [{:.1f}, "
                    "{:.1f}], more than the {:.1f} that are allowed",
                    judged.images, 100 * judged.value, 100 * judged.interval.low,
                    100 * judged.interval.high, 100 * judged.limit));
  }
  return verdict;
}

}  // namespace gps
