#include "gps/memory/logits_format.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>

namespace gps {
namespace {

constexpr float kLargestHalf = 65504;
constexpr std::size_t kScaleBytes = 2 * sizeof(float);  // of int8: the smallest and the distance

std::uint16_t to_half(float value) {
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

float from_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16;
  const std::uint32_t size = half & 0x7FFFu;
  if (size >= 0x7C00u) return std::bit_cast<float>(sign | 0x7F800000u | ((size & 0x3FFu) << 13));
  if (size < 0x0400u) {
    const float value = static_cast<float>(size) * 0x1p-24f;
    return sign == 0 ? value : -value;
  }
  return std::bit_cast<float>(sign | ((size << 13) + ((127u - 15u) << 23)));
}

void encode_bytes(std::span<const float> logits, std::span<std::uint8_t> stored) {
  const auto [smallest, largest] = std::minmax_element(logits.begin(), logits.end());
  const float scale[2] = {*smallest, (*largest - *smallest) / 255};
  std::memcpy(stored.data(), scale, kScaleBytes);
  for (std::size_t k = 0; k < logits.size(); ++k) {
    const float level = (logits[k] - scale[0]) / scale[1];
    // A comparison with NaN is false.
    const bool is_inside = level > 0 && level < 255;
    const float rounded = is_inside ? std::round(level) : (level >= 255 ? 255.0f : 0.0f);
    stored[kScaleBytes + k] = static_cast<std::uint8_t>(rounded);
  }
}

void decode_bytes(std::span<const std::uint8_t> stored, std::span<float> logits) {
  float scale[2];
  std::memcpy(scale, stored.data(), kScaleBytes);
  for (std::size_t k = 0; k < logits.size(); ++k)
    logits[k] = scale[0] + static_cast<float>(stored[kScaleBytes + k]) * scale[1];
}

}  // namespace

std::size_t logits_bytes(LogitsFormat format, std::size_t count) {
  if (count == 0) return 0;
  switch (format) {
    case LogitsFormat::float32:
      return count * sizeof(float);
    case LogitsFormat::float16:
      return count * sizeof(std::uint16_t);
    case LogitsFormat::int8:
      return kScaleBytes + count;
  }
  return 0;
}

void encode_logits(LogitsFormat format, std::span<const float> logits,
                   std::span<std::uint8_t> stored) {
  assert(stored.size() == logits_bytes(format, logits.size()));
  if (logits.empty()) return;
  switch (format) {
    case LogitsFormat::float32:
      std::memcpy(stored.data(), logits.data(), logits.size_bytes());
      return;
    case LogitsFormat::float16:
      for (std::size_t k = 0; k < logits.size(); ++k) {
        const std::uint16_t half = to_half(logits[k]);
        std::memcpy(stored.data() + k * sizeof(half), &half, sizeof(half));
      }
      return;
    case LogitsFormat::int8:
      encode_bytes(logits, stored);
      return;
  }
}

void decode_logits(LogitsFormat format, std::span<const std::uint8_t> stored,
                   std::span<float> logits) {
  assert(stored.size() == logits_bytes(format, logits.size()));
  if (logits.empty()) return;
  switch (format) {
    case LogitsFormat::float32:
      std::memcpy(logits.data(), stored.data(), logits.size_bytes());
      return;
    case LogitsFormat::float16:
      for (std::size_t k = 0; k < logits.size(); ++k) {
        std::uint16_t half = 0;
        std::memcpy(&half, stored.data() + k * sizeof(half), sizeof(half));
        logits[k] = from_half(half);
      }
      return;
    case LogitsFormat::int8:
      decode_bytes(stored, logits);
      return;
  }
}

}  // namespace gps
