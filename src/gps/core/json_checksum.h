// A checksum of what JSON says. It is the same for every way to write it: with or without blanks,
// with keys in any order, and with 1 or 1.0.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gps {

// Returns eight hexadecimal digits: a CRC-32 of all keys and values, without the key `except` of
// the outermost object. Numbers that JSON cannot hold count as null, as they are written.
std::string json_checksum(const nlohmann::json& json, const std::string& except = "");

}  // namespace gps
