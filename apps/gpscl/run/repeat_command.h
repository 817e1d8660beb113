// The command that repeats a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gps/experiments/spec.h"

namespace gps::cli {

// The arguments of `gpscl run` that give this very spec: names, and only those options that differ
// from what the names alone would give.
std::vector<std::string> arguments_for(const Spec& spec);

// "gpscl run p-mnist --policy gps --seed 3", quoted for a shell.
std::string command_for(const std::vector<std::string>& arguments, std::uint64_t seed);

}  // namespace gps::cli
