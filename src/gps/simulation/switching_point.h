// GlobalBS (Algorithm 2 of the paper): the search for the switching point s_i, as a pure function
// over any score. It searches along a line of plans, and knows of a plan only its position on it.
//
// A binary search with a stride: at each middle it compares the scores one stride to the left and
// to the right, and goes to the better side; it stops where neither side is better, or where the
// interval is shorter than the stride. The best of all points tried is returned. The printed
// pseudo-code goes to the worse side and returns the worst point: it was written for losses and
// half-renamed (A1, A2). Positions are clamped to [0, last] (A5).
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

// Scores several plans at once, so that the caller may work on them side by side. Result k belongs
// to plan k.
using ScorePlans = std::function<std::vector<Outcome>(std::span<const Plan> plans)>;

// Told, before plans are scored, which ones may be asked for next, likeliest first: whoever has
// workers to spare may score those too. What it does with them cannot change the result.
using ForeseePlans = std::function<void(std::span<const Plan> plans)>;

// Best: by the objective, then by the other one of loss and accuracy, then the position nearest to
// the last middle. One no farther than `nearby` from another that was scored is not scored: the
// other's outcome stands for it. Where last < stride, nothing can be bisected: 0, last/2 and last
// are tried. REQUIRES: stride >= 1.
SearchResult search_switching_point(const PlanLine& line, std::size_t stride, Objective objective,
                                    const ScorePlans& score, const ForeseePlans& foresee = {},
                                    std::size_t nearby = 0);

// ε = |M|/(5i), clamped (A4). Zeros stand for the paper's values: that stride, and the bounds
// |M|/(5T), which is its printed 20 for P-MNIST, and |M|/10, its printed 100. A stride given by
// hand is clamped by bounds given by hand only.
struct StrideOptions {
  std::size_t stride = 0;  // 0: |M|/(5i)
  std::size_t smallest = 0;
  std::size_t largest = 0;
};
std::size_t stride_for(std::size_t capacity, int task, int tasks, const StrideOptions& options);

}  // namespace gps
