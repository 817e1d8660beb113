// GlobalBS (Algorithm 2 of the paper): the search for the switching point s_i, as a pure function
// over any score.
//
// A binary search with a stride: at each middle it compares the scores one stride to the left and
// to the right, and goes to the better side; it stops where neither side is better, or where the
// interval is shorter than the stride. The best of all points tried is returned. The printed
// pseudo-code goes to the worse side and returns the worst point: it was written for losses and
// half-renamed (A1, A2). Points are clamped to [0, upper] (A5).
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
  std::size_t ring_size = 0;
  std::vector<Probe> probes;  // in the order in which they were asked for, each point once
};

// Scores several points at once, so that the caller may work on them side by side. Result k belongs
// to point k.
using ScorePoints = std::function<std::vector<Outcome>(std::span<const std::size_t> points)>;

// Told, before points are scored, which ones may be asked for next, likeliest first: whoever has
// workers to spare may score those too. What it does with them cannot change the result.
using ForeseePoints = std::function<void(std::span<const std::size_t> points)>;

// Best: by the objective, then by the other one of loss and accuracy, then the point nearest to the
// last middle. A point no farther than `nearby` from one that was scored is not scored: the other's
// outcome stands for it. Where upper < stride, nothing can be bisected: 0, upper/2 and upper are
// tried. REQUIRES: stride >= 1.
SearchResult search_switching_point(std::size_t upper, std::size_t stride, Objective objective,
                                    const ScorePoints& score, const ForeseePoints& foresee = {},
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
