// Chooses the training examples of a task: all, a random subset, or a long-tailed subset, as in
// real streams.
#pragma once

#include <cstdint>
#include <vector>

#include "gps/core/rng.h"
#include "gps/data/dataset.h"

namespace gps {

// Returns the number of examples of each class, from the most common to the rarest of `classes`:
// examples/classes * R^(-k/(C-1)), rounded, at least one. The most common class is as large as in a
// balanced task of `examples`; the others are smaller, and so is the task as a whole.
std::vector<std::size_t> long_tailed_counts(std::size_t examples, int classes, double imbalance);

// Returns rows of `data` in random order. `examples` = 0 means all. With imbalance 1, chooses a
// uniformly random subset of that size. Otherwise chooses class counts as above, capped by the
// class sizes, over the classes that `data` has; which class is more common is random.
std::vector<std::uint32_t> choose_examples(const Dataset& data, std::size_t examples,
                                           double imbalance, const Rng& rng);

}  // namespace gps
