// Shared by the JSON forms of analyses.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>

namespace gps {

// Reads a loss. JSON has no infinity, so the infinite loss of a diverged network is written as
// null.
inline double loss_from(const nlohmann::json& json) {
  return json.is_null() ? std::numeric_limits<double>::infinity() : json.get<double>();
}

}  // namespace gps
