#include "gps/memory/logits_format.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "gps/core/half_float.h"

namespace gps {
namespace {

constexpr std::size_t kScaleBytes = 2 * sizeof(float);  // of int8: the smallest and the distance

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
