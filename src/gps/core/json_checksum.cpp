#include "gps/core/json_checksum.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "gps/core/files/files.h"

namespace gps {
namespace {

constexpr int kDeepest = 100;  // what is deeper does not count, so that no file exhausts the stack

void put_text(const std::string& text, std::string& bytes) {
  bytes += fmt::format("s{}:", text.size());
  bytes += text;
}

void put_number(double value, std::string& bytes) {
  constexpr double kExact = 9007199254740992;  // 2^53: smaller whole numbers are exact
  if (!std::isfinite(value)) {
    bytes += 'n';
  } else if (std::trunc(value) == value && std::abs(value) < kExact) {
    bytes += fmt::format("i{};", static_cast<std::int64_t>(value));
  } else {
    bytes += fmt::format("d{:x};", std::bit_cast<std::uint64_t>(value));
  }
}

void put_value(const nlohmann::json& json, const std::string& except, int depth,
               std::string& bytes) {
  if (depth > kDeepest) return;
  if (json.is_object()) {
    bytes += '{';
    for (const auto& [key, value] : json.items()) {  // in the order of the keys
      if (!except.empty() && key == except) continue;
      put_text(key, bytes);
      put_value(value, "", depth + 1, bytes);
    }
    bytes += '}';
  } else if (json.is_array()) {
    bytes += '[';
    for (const nlohmann::json& value : json) put_value(value, "", depth + 1, bytes);
    bytes += ']';
  } else if (json.is_string()) {
    put_text(json.get_ref<const std::string&>(), bytes);
  } else if (json.is_number_unsigned()) {
    bytes += fmt::format("i{};", json.get<std::uint64_t>());
  } else if (json.is_number_integer()) {
    bytes += fmt::format("i{};", json.get<std::int64_t>());
  } else if (json.is_number_float()) {
    put_number(json.get<double>(), bytes);
  } else if (json.is_boolean()) {
    bytes += json.get<bool>() ? 't' : 'f';
  } else {
    bytes += 'n';
  }
}

}  // namespace

std::string json_checksum(const nlohmann::json& json, const std::string& except) {
  std::string bytes;
  put_value(json, except, 0, bytes);
  return fmt::format("{:08x}", checksum(bytes));
}

}  // namespace gps
