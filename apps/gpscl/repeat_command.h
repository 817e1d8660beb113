// The command that repeats a run.
#pragma once

#include <string>
#include <vector>

#include "gps/experiments/spec.h"

namespace gps::cli {

// The arguments of `gpscl run` that give this very spec: names, and only those options that differ
// from what the names alone would give.
std::vector<std::string> arguments_for(const Spec& spec);

}  // namespace gps::cli
