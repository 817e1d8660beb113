// Verdicts on claims, by stated rules. Values are by seed, so that effects of the seed that two
// rows share cancel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gps/core/statistics.h"

namespace gps {

enum class Verdict { reproduced, not_reproduced, not_tried };
std::string name_of(Verdict verdict);  // "reproduced", "not reproduced", "not tried"

// The origin of a claim; only those of `paper` count as the paper's.
enum class Origin {
  paper,
  other_stream,   // the paper's, tested on another stream than the paper's
  other_reading,  // the paper's, under another reading of its method
  ours,
};
std::string name_of(Origin origin);  // "paper", "other stream", "other reading", "ours"

struct Judgement {
  std::string claim;  // the claim in short
  std::string rule;   // what counts as reproduced
  Verdict verdict = Verdict::not_tried;
  std::string numbers;  // the numbers behind the verdict, or why there is none
  Origin origin = Origin::paper;
};
Judgement as(Origin origin, Judgement judgement);

// A row of a table, for the numbers of a judgement. A row with a dead network
// (RunResult::has_collapsed) proves nothing: it has failed to learn, and the seeds that survived
// are a biased choice. No rule judges by such a row: the claim is not tried.
struct Named {
  std::string name;
  BySeed values;
  std::size_t collapsed = 0;  // runs whose network is dead
};
struct NamedPrinted {
  Named ours;
  double value = 0;                 // the paper's value
  std::optional<double> deviation;  // over the paper's five runs
};

// Returns for example " (5 seeds)".
std::string seeds_text(std::size_t seeds);

// `high` is above each of `low`: the 95 % interval of each paired difference lies above `margin`.
// Not tried if one of them shares fewer than two seeds with `high`, unless another one fails.
Judgement judge_above(std::string claim, const Named& high, const std::vector<Named>& low,
                      double margin = 0);

// The rules below can also end in "cannot tell": if an interval lies neither within what the claim
// says nor outside of it, the claim is not tried.

// No gain: the 95 % interval of each paired difference ends below `margin`. There is a gain if one
// of them lies above zero.
Judgement judge_no_gain(std::string claim, const Named& one, const std::vector<Named>& others,
                        double margin = 1);

// Near each other: the interval of the paired difference lies within ± tolerance. Not near if it
// lies outside.
Judgement judge_close(std::string claim, const Named& one, const Named& other, double tolerance);

// Each mean is within `tolerance` of the printed value, or within 2.5 times that if the 95 %
// intervals of the two means (the paper's from its five runs) overlap. A row with fewer than two
// seeds is missing: then the claim is not tried, unless another row fails.
Judgement judge_levels(std::string claim, const std::vector<NamedPrinted>& rows,
                       double tolerance = 2);

// A smaller variance over seeds than each of the others, by one-sided F tests at 5 %. Not
// reproduced if one of the others has a smaller variance by the same test. Not tried with fewer
// than five seeds.
Judgement judge_steadier(std::string claim, const Named& one, const std::vector<Named>& others);

// A bound for a single number: the 95 % interval of the mean lies within [lowest, highest]. Not
// reproduced if it lies outside.
Judgement judge_between(std::string claim, const Named& row, double lowest, double highest);

Judgement not_tried(std::string claim, std::string why);

}  // namespace gps
