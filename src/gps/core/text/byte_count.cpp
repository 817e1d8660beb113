#include "gps/core/text/byte_count.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "gps/core/text/numbers.h"

namespace gps {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t bytes;
};

// The largest first.
constexpr std::array<Unit, 7> kUnits = {{{"GiB", 1ull << 30},
                                         {"GB", 1'000'000'000},
                                         {"MiB", 1ull << 20},
                                         {"MB", 1'000'000},
                                         {"kiB", 1ull << 10},
                                         {"kB", 1'000},
                                         {"B", 1}}};
constexpr double kMostBytes = 1e15;

}  // namespace

std::string text_of(const ByteCount& count) {
  // Multiples of 1000 and of 1024 have units of 1000, because these are more usual.
  const bool is_decimal = count.bytes % 1000 == 0;
  for (const Unit& unit : kUnits) {
    const bool is_binary = unit.name.ends_with("iB");
    if (count.bytes == 0 || count.bytes % unit.bytes != 0 || (is_binary && is_decimal)) continue;
    return fmt::format("{}{}", count.bytes / unit.bytes, unit.name);
  }
  return "0B";
}

std::optional<ByteCount> parse_byte_count(std::string_view text) {
  const auto number = read_number<double>(text);
  if (number.length == 0 || number.is_out_of_range) return std::nullopt;
  const std::string_view name = text.substr(number.length);
  for (const Unit& unit : kUnits) {
    if (unit.name != name) continue;
    const double bytes = std::round(number.value * static_cast<double>(unit.bytes));
    if (!(bytes >= 0 && bytes <= kMostBytes)) return std::nullopt;
    return ByteCount{static_cast<std::uint64_t>(bytes)};
  }
  return std::nullopt;
}

}  // namespace gps
