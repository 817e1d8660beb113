// What the futures share whose pseudo-tasks are the current task with other images.
#pragma once

#include <functional>

#include "gps/simulation/future.h"

namespace gps {

// Changes the images of the k-th pseudo-task, from 1. The stream is that of the whole future, of
// which "examples" is taken.
using TransformTask = std::function<void(Task& task, int k, const Rng& rng)>;

// Returns a future whose k-th task has a random subset of the examples of the current task, changed
// by `transform`.
std::unique_ptr<Future> make_transformed(TransformTask transform);

}  // namespace gps
