// What gpscl learn says after a task.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gps/deployment/learn.h"

namespace gps {

// Says what was learnt, what was forgotten, and what the memory now holds. REQUIRES: `state` is as
// learn() left it.
std::string learnt_text(const LearnReport& report, const LearnState& state);
nlohmann::json to_json(const LearnReport& report, const LearnState& state);

}  // namespace gps
