// A fast 64-bit hash for keys and for noticing damage; nothing secret depends on it.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace gps {

// Four lanes of words, each mixed by exclusive or, rotation and multiplication, so that a large
// file is read as fast as memory allows.
inline std::uint64_t hash64(std::span<const std::uint8_t> bytes) {
  constexpr std::uint64_t kPrime = 0x9E3779B97F4A7C15u;
  const auto mix = [](std::uint64_t state, std::uint64_t word) {
    const std::uint64_t product = (state ^ word) * kPrime;
    return product ^ (product >> 32);
  };
  std::array<std::uint64_t, 4> lanes = {1, 2, 3, 4};
  std::size_t at = 0;
  for (; at + sizeof(lanes) <= bytes.size(); at += sizeof(lanes)) {
    std::array<std::uint64_t, 4> words;
    std::memcpy(words.data(), bytes.data() + at, sizeof(words));
    for (std::size_t k = 0; k < lanes.size(); ++k) lanes[k] = mix(lanes[k], words[k]);
  }
  std::uint64_t hash = bytes.size();
  for (; at < bytes.size(); ++at) hash = mix(hash, bytes[at]);
  for (const std::uint64_t lane : lanes) hash = mix(hash, lane);
  return mix(hash, bytes.size());
}

inline std::uint64_t hash64(std::string_view text) {
  return hash64(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

}  // namespace gps
