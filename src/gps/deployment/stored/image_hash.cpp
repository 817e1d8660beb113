#include "gps/deployment/stored/image_hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "gps/core/hash.h"

namespace gps {
namespace {

constexpr std::size_t kHashDigits = 16;

}  // namespace

ImageHashes in_order(std::vector<std::uint64_t> hashes) {
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  return hashes;
}

bool has_hash(const ImageHashes& hashes, std::uint64_t hash) {
  return std::binary_search(hashes.begin(), hashes.end(), hash);
}

std::string hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

std::optional<std::uint64_t> parse_hash(std::string_view text) {
  constexpr int kHexadecimal = 16;
  std::uint64_t hash = 0;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, hash, kHexadecimal);
  if (text.size() != kHashDigits || read != end || error != std::errc()) return std::nullopt;
  return hash;
}

std::vector<std::uint64_t> hashes_of(std::span<const std::uint8_t> pixels, const Memory& memory) {
  std::vector<std::uint64_t> hashes = {hash64(pixels)};
  if (memory.keeps_pixels()) return hashes;
  Example example;
  example.image = memory.stored(pixels);
  const std::uint64_t replayed = hash_of(memory, example);
  if (replayed != hashes.front()) hashes.push_back(replayed);
  return hashes;
}

std::uint64_t hash_of(const Memory& memory, const Example& example) {
  std::vector<std::uint8_t> scratch(memory.image_bytes());
  return hash64(std::span(memory.image(example, scratch), memory.image_bytes()));
}

}  // namespace gps
