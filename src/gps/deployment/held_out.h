// Selects the examples that are kept for testing: the same number for each task, and the same
// number for each class of a task. They are never trained on. Pure arithmetic and random draws.
#pragma once

#include <span>

#include "gps/core/rng.h"
#include "gps/data/dataset.h"
#include "gps/memory/memory.h"

namespace gps {

// Returns how many slots of `tests` a new task gets if it can fill `available` slots. Spare slots
// go to the newest tasks.
std::size_t test_quota(const Memory& tests, std::size_t available);

// Returns at most `count` rows, from the classes in turn, at random within each class. Takes at
// most this share of a class, but may take one row if the class has two or more. With a share below
// 1, at least one row of each class is left; with a share of 1, all rows may be taken.
std::vector<std::uint32_t> hold_out(const Dataset& data, std::size_t count, double share,
                                    const Rng& rng);

// Shrinks the test examples of earlier tasks to their quotas, from the end, and adds these rows of
// the task up to its quota.
void store_tests(Memory& tests, const Task& task, std::span<const std::uint32_t> rows);

// Returns the test examples in a memory of another capacity. If they are too many, tasks shrink to
// their quotas, from the end.
Memory resized_tests(const Memory& tests, std::size_t capacity);

// Returns the test examples of one task. REQUIRES: there is at least one.
Dataset tests_of(const Memory& tests, int task, const ImageShape& shape, int classes);

}  // namespace gps
