// A run's memory as a small text picture: the switching points that were found, and where the
// memory went.
#pragma once

#include <string>

#include "gps/experiments/result.h"

namespace gps {

// A line for each task: its ring part (#) and its reservoir part (.) when it was built, and the
// probes behind the choice. Empty for policies that choose nothing.
std::string switching_points_picture(const RunResult& result);

// A line for each task: what the memory holds of it after the last task, in both parts, and how its
// classes share it.
std::string composition_picture(const RunResult& result);

}  // namespace gps
