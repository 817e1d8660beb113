// Conversion between 32-bit and 16-bit floating-point numbers (IEEE 754 binary16).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace gps {

inline constexpr float kLargestHalf = 65504;

// Returns the nearest half, of two the even one. Numbers beyond the largest half become the largest
// half.
inline std::uint16_t to_half(float value) {
  const auto sign = static_cast<std::uint32_t>(std::signbit(value) ? 0x8000u : 0u);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7E00u);
  const float size = std::min(std::abs(value), kLargestHalf);
  std::uint32_t half = 0;
  if (size < 0x1p-14f) {
    half = static_cast<std::uint32_t>(std::nearbyint(size * 0x1p24f));  // multiples of 2^-24
  } else {
    const auto bits = std::bit_cast<std::uint32_t>(size);
    const std::uint32_t rounded = bits + 0x0FFFu + ((bits >> 13) & 1u);  // to the nearest even
    half = (rounded >> 13) - ((127u - 15u) << 10);
  }
  return static_cast<std::uint16_t>(sign | half);
}

inline float from_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16;
  const std::uint32_t size = half & 0x7FFFu;
  if (size >= 0x7C00u) return std::bit_cast<float>(sign | 0x7F800000u | ((size & 0x3FFu) << 13));
  if (size < 0x0400u) {
    const float value = static_cast<float>(size) * 0x1p-24f;
    return sign == 0 ? value : -value;
  }
  return std::bit_cast<float>(sign | ((size << 13) + ((127u - 15u) << 23)));
}

// The same for numbers that are finite, without a branch.
inline float from_finite_half(std::uint32_t half) {
  const float size = std::bit_cast<float>((half & 0x7FFFu) << 13) * 0x1p112f;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(size) | ((half & 0x8000u) << 16));
}

}  // namespace gps
