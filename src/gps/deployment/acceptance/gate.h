// The acceptance gate: whether a version that has just learnt a task is good enough to be kept, by
// limits that the caller sets. (check_learnt.h has what every version must fulfil.) Accuracies are
// among all classes, as predictions are.
//
// A limit is missed if chance alone does not explain it: if the whole 95 % interval lies beyond it.
// The interval of an accuracy is Wilson's. That of a fall is Newcombe's, made of the two Wilson
// intervals before and after (R. G. Newcombe, Interval estimation for the difference between
// independent proportions, 1998, method 10). The same images are answered before and after, so the
// true interval is narrower: the gate errs on the side of keeping.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gps/core/statistics.h"

namespace gps {

struct LearnReport;

struct Gate {
  std::optional<double> least_accuracy = {};   // a share
  std::optional<double> most_forgetting = {};  // a share: 0.05 is five points
  bool is_strict = false;                      // the estimate itself must be within the limit

  bool has_limits() const { return least_accuracy || most_forgetting; }
};

// What the versions answered for images that neither was trained on.
struct GateEvidence {
  std::size_t images = 0;          // of all classes that the new version knows
  double accuracy = 0;             // of the new version
  std::size_t earlier_images = 0;  // of earlier tasks; of classes that the version before knows
  double before = 0;               // of the version before, on them
  double now = 0;                  // of the new one, on them
  bool has_version_before = false;
};

// Returns the evidence of the held-out images. REQUIRES: the scores of the report are complete.
GateEvidence held_out_evidence(const LearnReport& report);

struct JudgedLimit {
  double limit = 0;
  double value = 0;  // accuracy, or how much it fell
  Interval interval = {};
  std::size_t images = 0;
  bool is_met = false;
};

// Only limits that were set and could be judged.
struct GateVerdict {
  std::optional<JudgedLimit> accuracy = {};
  std::optional<JudgedLimit> forgetting = {};
  std::vector<std::string> problems = {};  // one clause each, without options; empty: it passes
};

// A limit that no image can judge is missed, except that without a version before nothing can be
// forgotten.
GateVerdict judge(const Gate& gate, const GateEvidence& evidence);

}  // namespace gps
