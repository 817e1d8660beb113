// Which training examples a task gets: all, a random few, or a long-tailed choice, as real streams
// are.
#pragma once

#include <cstdint>
#include <vector>

#include "gps/core/rng.h"
#include "gps/data/dataset.h"

namespace gps {

// How many examples each class gets, from the commonest to the rarest of `classes`:
// examples/classes * R^(-k/(C-1)), rounded, at least one. The commonest class is as large as in a
// balanced task of `examples`; the tail is smaller, so the task as a whole is too.
std::vector<std::size_t> long_tailed_counts(std::size_t examples, int classes, double imbalance);

// Rows of `data` in random order. `examples` = 0 stands for all of them. With imbalance 1, a
// uniformly random subset of that size; otherwise class counts as above, capped by what there is,
// over the classes that `data` has, in random order.
std::vector<std::uint32_t> choose_examples(const Dataset& data, std::size_t examples,
                                           double imbalance, const Rng& rng);

}  // namespace gps
