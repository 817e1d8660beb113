// Divides the slots of a memory: |M|/i for each task and a/C for each class, and the remainders.
// Pure arithmetic.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gps {

// Deals out `total` slots one by one, round after round. Taker k can use at most available[k]
// slots; when it is full it is skipped, and the others get its slots. The shares of takers that are
// not full differ by at most one, and the first of them get the spare slots. The shares sum to
// min(total, sum of available).
std::vector<std::size_t> deal(std::size_t total, std::span<const std::size_t> available);

// Returns |M_{i,j}| for the tasks j = 1, …, i, where task j can fill at most available[j-1] slots:
// the equal-memory heuristic of section 4.1. If all tasks have enough examples, the quotas are
//   ceil((|M| - j + 1)/i).
// They use every slot, give the spare ones to the oldest tasks, and never grow as i grows (A8).
// Slots that a task cannot fill go to the others.
inline std::vector<std::size_t> task_quotas(std::size_t capacity,
                                            std::span<const std::size_t> available) {
  return deal(capacity, available);
}

}  // namespace gps
