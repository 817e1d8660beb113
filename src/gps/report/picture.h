// The memory of a run as a small text picture: the switching points, and how the memory is used.
#pragma once

#include <string>

#include "gps/experiments/result.h"

namespace gps {

// Returns a line for each task: its ring part (#) and its reservoir part (.) when its share was
// built, and the probes behind the choice. Empty for policies that choose nothing.
std::string switching_points_picture(const RunResult& result);

// Returns a line for each task: its examples in the memory after the last task, in both parts, and
// how they are divided among its classes.
std::string composition_picture(const RunResult& result);

// Returns "no stored image of 2 of 10 classes: cat, dog", the classes of which the memory has no
// image of any task after the last one; empty if there are none, or without a memory.
std::string missing_classes_text(const RunResult& result);

}  // namespace gps
