// What the JSON forms of analyses share.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>

namespace gps {

// JSON knows no infinity: the loss of a network that broke is written as null.
inline double loss_from(const nlohmann::json& json) {
  return json.is_null() ? std::numeric_limits<double>::infinity() : json.get<double>();
}

}  // namespace gps
