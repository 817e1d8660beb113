// How the logits of a stored example are kept (DER). Fewer bytes leave room for more examples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gps {

enum class LogitsFormat : std::uint8_t {
  float32,  // as they are: four bytes each
  float16,  // IEEE's binary16, rounded to the nearest even: two bytes each; at most 65504
  int8,     // one of 256 values at equal distances, from the smallest to the largest logit of the
            // example: one byte each, and eight bytes for the smallest and the distance
};

// Returns the bytes that `count` logits of one example take; 0 for no logits.
std::size_t logits_bytes(LogitsFormat format, std::size_t count);

// REQUIRES: `stored` has logits_bytes() bytes.
void encode_logits(LogitsFormat format, std::span<const float> logits,
                   std::span<std::uint8_t> stored);

// The reverse. float32: bit for bit. float16: off by at most 2^-11 of the value, or 2^-25. int8:
// off by at most half the distance, which is (largest - smallest)/255. REQUIRES: the same.
void decode_logits(LogitsFormat format, std::span<const std::uint8_t> stored,
                   std::span<float> logits);

}  // namespace gps
