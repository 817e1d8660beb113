// What can be said of a claim, by rules that are stated. Values are by seed, so that what two rows
// share by their seeds cancels.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gps/core/statistics.h"

namespace gps {

enum class Verdict { reproduced, not_reproduced, not_tried };
std::string name_of(Verdict verdict);  // "reproduced", "not reproduced", "not tried"

// Whose claim it is; only the paper's are counted as such.
enum class Origin {
  paper,
  other_stream,   // the paper's, tried on another stream than it was made for
  other_reading,  // the paper's, under another reading of what it did
  ours,
};
std::string name_of(Origin origin);  // "paper", "other stream", "other reading", "ours"

struct Judgement {
  std::string claim;  // what the paper says, in short
  std::string rule;   // what counts as reproduced
  Verdict verdict = Verdict::not_tried;
  std::string numbers;  // that it was judged by, or why it was not
  Origin origin = Origin::paper;
};
Judgement as(Origin origin, Judgement judgement);

// A row of a table, for the numbers of a judgement.
struct Named {
  std::string name;
  BySeed values;
};
struct NamedPrinted {
  Named ours;
  double value = 0;                 // the paper's
  std::optional<double> deviation;  // over its five runs
};

// " (5 seeds)", of those that all have
std::string seeds_text(std::size_t seeds);

// `high` is above every one of `low`: the 95 % interval of each paired difference lies above
// `margin`. Not tried where one of them shares fewer than two seeds with it.
Judgement judge_above(std::string claim, const Named& high, const std::vector<Named>& low,
                      double margin = 0);

// For the rules below, evidence that allows both is none: where an interval lies neither within
// what the claim says nor outside of it, the claim is not tried, "cannot tell".

// No gain: the 95 % interval of each paired difference ends below `margin`. A gain is where one of
// them lies above zero.
Judgement judge_no_gain(std::string claim, const Named& one, const std::vector<Named>& others,
                        double margin = 1);

// Near each other: the interval of the paired difference lies within ± tolerance; not near, if it
// lies outside.
Judgement judge_close(std::string claim, const Named& one, const Named& other, double tolerance);

// Each mean is within `tolerance` of the printed value, or within 2.5 times that where the 95 %
// intervals of the two means (the paper's by its five runs) overlap. A row of fewer than two seeds
// is missing: not tried, unless another fails.
Judgement judge_levels(std::string claim, const std::vector<NamedPrinted>& rows,
                       double tolerance = 2);

// A smaller variance over seeds than each of the others, by one-sided F tests at 5 %. Not so where
// one of the others has the smaller one, by the same test. Not tried with fewer than five seeds.
Judgement judge_steadier(std::string claim, const Named& one, const std::vector<Named>& others);

// A single number by a bound: the 95 % interval of the mean lies within [lowest, highest]; not so,
// if it lies outside.
Judgement judge_between(std::string claim, const Named& row, double lowest, double highest);

Judgement not_tried(std::string claim, std::string why);

}  // namespace gps
