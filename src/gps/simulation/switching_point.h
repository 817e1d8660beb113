// GlobalBS (Algorithm 2 of the paper): the search for the switching point s_i, as a pure function
// over any score. It searches along a line of plans and uses only their positions on it.
//
// It is a binary search with a stride. At each middle it compares the scores one stride to the left
// and to the right, and goes to the better side. It stops if neither side is better, or if the
// interval is shorter than the stride. It returns the best of all points tried. The printed
// pseudo-code goes to the worse side and returns the worst point: it was written for losses and
// only half-renamed (A1, A2). Positions are clamped to [0, last] (A5).
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "gps/policies/policy.h"
#include "gps/simulation/global_sim.h"

namespace gps {

enum class Objective { accuracy, loss };

struct SearchResult {
  Plan plan;
  std::vector<Trial> trials;  // in the order in which they were asked for, each plan once
};

// Scores several plans at once, so that the caller can do this in parallel. Result k belongs to
// plan k.
using ScorePlans = std::function<std::vector<Outcome>(std::span<const Plan> plans)>;

// Called before plans are scored, with the plans that may be asked for next, the most likely first.
// A caller with free workers may score these too. This cannot change the result.
using ForeseePlans = std::function<void(std::span<const Plan> plans)>;

// Returns the best plan: by the objective, then by the other one of loss and accuracy, then by the
// distance to the last middle. So a candidate that is dead or diverged (infinite loss, accuracy 0)
// is never chosen if another one is alive; if none is, the middle of the line is chosen. A position
// within `nearby` of a scored one is not scored, but takes its outcome. If last < stride, nothing
// can be bisected: 0, last/2 and last are tried. REQUIRES: stride >= 1; nearby is 0 or less than
// stride/2.
SearchResult search_switching_point(const PlanLine& line, std::size_t stride, Objective objective,
                                    const ScorePlans& score, const ForeseePlans& foresee = {},
                                    std::size_t nearby = 0);

// The stride of the search: ε = |M|/(5i), clamped (A4). Zeros stand for the paper's values: this
// stride, the lower bound |M|/(5T) (the printed 20 for P-MNIST) and the upper bound |M|/10 (the
// printed 100). A stride given by the user is clamped only by bounds given by the user.
struct StrideOptions {
  std::size_t stride = 0;  // 0: |M|/(5i)
  std::size_t smallest = 0;
  std::size_t largest = 0;
};
std::size_t stride_for(std::size_t capacity, int task, int tasks, const StrideOptions& options);

}  // namespace gps
