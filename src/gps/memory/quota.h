// Who gets how many of the slots: |M|/i for each task and a/C for each class, with their
// remainders. Pure arithmetic.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gps {

// Deals `total` slots one by one, round after round, to takers who can use at most available[k]
// each. A taker that is full is skipped, so the slots that it leaves go to the others. Among those
// not full, shares differ by at most one, and the spare ones go to the first. The shares sum to
// min(total, sum of available).
std::vector<std::size_t> deal(std::size_t total, std::span<const std::size_t> available);

// |M_{i,j}| for the tasks j = 1, …, i that can fill at most available[j-1] slots: the equal-memory
// heuristic of section 4.1. Where all have enough it is ceil((|M| - j + 1)/i), which uses every
// slot, gives the spare ones to the oldest tasks, and never grows as i grows (A8). A task short of
// examples leaves its slots to the others.
inline std::vector<std::size_t> task_quotas(std::size_t capacity,
                                            std::span<const std::size_t> available) {
  return deal(capacity, available);
}

}  // namespace gps
