// bfloat16: the upper half of a float, with the range of a float and 8 bits of precision.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace gps {

enum class Bf16 : std::uint16_t {};
enum class Bf16Pair : std::uint32_t {};  // the first in the lower half

constexpr float to_float(Bf16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
}
constexpr float to_float(float value) { return value; }

// Rounds to the nearest, ties to even. REQUIRES: not NaN.
template <typename T>
constexpr T rounded_to(float value) {
  if constexpr (std::is_same_v<T, float>) {
    return value;
  } else {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return static_cast<Bf16>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
  }
}

}  // namespace gps
