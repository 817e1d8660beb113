// Hashes for keys and for detecting damage; they are not cryptographic. hash64 is the fast one; it
// also recognises images, and states have its values (deployment/trained_images.h).
// FNV-1a (Fowler, Noll and Vo) hashes names and fingerprints that are stored in files: those of
// specs, models and random streams.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace gps {

// Hashes four lanes of words by exclusive or, multiplication and shift. The independent lanes let a
// large file be hashed as fast as memory allows.
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

inline constexpr std::uint64_t kFnvStart = 14695981039346656037u;

// One step of FNV-1a: mixes a byte into `before`, the hash of the preceding bytes. A wider word is
// also mixed in as one step.
constexpr std::uint64_t fnv1a_step(std::uint64_t before, std::uint64_t word) {
  return (before ^ word) * 1099511628211u;
}

// Hashes a text, or continues with the next part of a text: fnv1a("ab") == fnv1a("b", fnv1a("a")).
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t before = kFnvStart) {
  for (const char c : text) before = fnv1a_step(before, static_cast<unsigned char>(c));
  return before;
}

// The 32-bit version.
constexpr std::uint32_t fnv1a_32(std::string_view text) {
  std::uint32_t hash = 2166136261u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

}  // namespace gps
