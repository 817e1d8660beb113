// Makes the command that repeats a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gps/experiments/spec/spec.h"

namespace gps {

// Returns the arguments of `gpscl run` that define exactly this spec: names, and only the options
// that differ from the defaults of these names.
std::vector<std::string> arguments_for(const Spec& spec);

// Returns for example "gpscl run p-mnist --policy gps --seed 3", quoted for a shell.
std::string command_for(const std::vector<std::string>& arguments, std::uint64_t seed);

}  // namespace gps
