// Which examples are kept for testing: the same number for each task, and the same number for each
// class of a task. They are never trained on. Pure arithmetic and draws.
#pragma once

#include <span>

#include "gps/core/rng.h"
#include "gps/data/dataset.h"
#include "gps/memory/memory.h"

namespace gps {

// How many of `capacity` slots a further task gets that can fill `available`, and what the earlier
// ones (tests held: each task's count) keep. Spare slots go to the newest.
std::size_t test_quota(const Memory& tests, std::size_t available);

// At most `count` rows of the data, the classes in turn, each class at random; at most this share
// of what a class has, but one of two or more. A share of 1 may take all.
std::vector<std::uint32_t> hold_out(const Dataset& data, std::size_t count, double share,
                                    const Rng& rng);

// Shrinks what earlier tasks hold to their quotas, from the end, and adds these rows of the task.
void store_tests(Memory& tests, const Task& task, std::span<const std::uint32_t> rows);

// What is kept of one task. REQUIRES: there is something.
Dataset tests_of(const Memory& tests, int task, const ImageShape& shape, int classes);

}  // namespace gps
