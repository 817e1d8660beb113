// A number of bytes with a unit: 784kB, 20MB and 1.5GB (powers of 1000), 512kiB, 64MiB and 1GiB
// (powers of 1024), 98B.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gps {

struct ByteCount {
  std::uint64_t bytes = 0;

  auto operator<=>(const ByteCount&) const = default;
};

// Returns the number with the largest unit of which it is a multiple: "784kB", "1MiB", "1001B".
std::string text_of(const ByteCount& count);

// The reverse. A number with a fraction is rounded to whole bytes. Returns nothing for a text
// without a unit, with another unit, or with more than 10^15 bytes.
std::optional<ByteCount> parse_byte_count(std::string_view text);

}  // namespace gps
