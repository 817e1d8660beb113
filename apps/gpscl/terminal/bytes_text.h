// Formats numbers of bytes for people.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace gps::cli {

// Returns for example "512 bytes", "29.5 kB" or "170.1 MB". The units are powers of 1000, as in
// published file sizes.
inline std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  double value = static_cast<double>(bytes) / 1000;
  for (const char* unit : {"kB", "MB"}) {
    if (value < 999.95) return fmt::format("{:.1f} {}", value, unit);
    value /= 1000;
  }
  return fmt::format("{:.1f} GB", value);
}

}  // namespace gps::cli
