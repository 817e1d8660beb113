// What gpscl learn says of the tasks that a state has learnt: --history.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gps/deployment/learn_state.h"

namespace gps {

// Returns a line for each task.
std::string history_text(const LearnState& state);
// The same as JSON (docs/learn.md): an array with an object for each task.
nlohmann::json history_as_json(const LearnState& state);

}  // namespace gps
